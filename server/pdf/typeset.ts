import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeCompiler, type NodeTypstDocument } from '@myriaddreamin/typst-ts-node-compiler';
import {
  type BookData,
  type Failure,
  FILES,
  type Mark,
  type Plan,
  type Standard,
  type TypesetPart,
} from './files.ts';
import { readFonts } from './fonts.ts';
import { compact } from './merge.ts';

/** A request to typeset a part of the book, or all of it, into a file. */
export interface TypesetRequest {
  data: BookData;
  output: string;
  standard: Standard;
  /** Milliseconds since 1970. */
  time: number;
}

/** Typesets some chapters. */
export async function typeset(folder: string, request: TypesetRequest): Promise<TypesetPart | Failure> {
  const { data, output } = request;
  const plan = JSON.parse(await readFile(join(folder, FILES.plan), 'utf8')) as Plan;
  await writeFile(join(folder, FILES.book), JSON.stringify(data));
  const compiler = NodeCompiler.create({
    workspace: folder,
    fontArgs: [{ fontBlobs: await readFonts(plan.fonts.fonts) }],
  });
  const result = compiler.compile({ mainFilePath: join(folder, FILES.template) });
  const document = result.result;
  if (result.hasError() || !document) return { problem: describe(compiler, result.takeDiagnostics()) };
  const { pdf, standard } = writePdf(compiler, document, request);
  const pages = document.numOfPages;
  if (data.links === 'places') {
    await compact(pdf, join(folder, output));
    return { pages, marks: [], standard };
  }
  await writeFile(join(folder, output), pdf);
  const found = compiler.query(document, { selector: '<mark>' }) as { value: Mark }[];
  const leftOut = data.lead > 0 ? 1 : 0;
  const marks = found.map(({ value }) => ({ ...value, page: value.page - leftOut }));
  return { pages: pages - leftOut, marks, standard };
}

/** Writes PDF/UA-1 if the content allows it, which the typesetter checks, and otherwise a tagged PDF. */
function writePdf(
  compiler: NodeCompiler,
  document: NodeTypstDocument,
  { standard, time }: TypesetRequest,
): { pdf: Buffer; standard: Standard } {
  const creationTimestamp = Math.floor(time / 1000);
  if (standard === 'ua-1') {
    try {
      return { pdf: compiler.pdf(document, { pdfStandard: 'ua-1', creationTimestamp }), standard };
    } catch {
      // The content violates the standard: write a tagged PDF instead.
    }
  }
  return { pdf: compiler.pdf(document, { pdfTags: true, creationTimestamp }), standard: 'tagged' };
}

function describe(
  compiler: NodeCompiler,
  diagnostics: Parameters<NodeCompiler['fetchDiagnostics']>[0] | null,
): string {
  const list = diagnostics ? compiler.fetchDiagnostics(diagnostics) : [];
  return list.map((one: { message?: string }) => one.message ?? '').join('; ') || 'unknown';
}
