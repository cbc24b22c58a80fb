import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeCompiler, type NodeTypstDocument } from '@myriaddreamin/typst-ts-node-compiler';
import {
  type BookData,
  type Failure,
  FILES,
  type Mark,
  type Plan,
  type Setting,
  type Standard,
} from './files.ts';
import { readFonts } from './fonts.ts';
import { compact } from './merge.ts';

/** A part of the book, or all of it, and the file that it becomes. */
export interface TypesetOrder {
  data: BookData;
  output: string;
  standard: Standard;
  /** Milliseconds since 1970. */
  time: number;
}

/** Sets some chapters. */
export async function typeset(folder: string, order: TypesetOrder): Promise<Setting | Failure> {
  const { data, output } = order;
  const plan = JSON.parse(await readFile(join(folder, FILES.plan), 'utf8')) as Plan;
  await writeFile(join(folder, FILES.book), JSON.stringify(data));
  const compiler = NodeCompiler.create({
    workspace: folder,
    fontArgs: [{ fontBlobs: await readFonts(plan.fonts.fonts) }],
  });
  const result = compiler.compile({ mainFilePath: join(folder, FILES.template) });
  const document = result.result;
  if (result.hasError() || !document) return { problem: describe(compiler, result.takeDiagnostics()) };
  const { pdf, standard } = write(compiler, document, order);
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

/** As PDF/UA-1 if what the book holds allows it, which the typesetter checks. */
function write(
  compiler: NodeCompiler,
  document: NodeTypstDocument,
  { standard, time }: TypesetOrder,
): { pdf: Buffer; standard: Standard } {
  const creationTimestamp = Math.floor(time / 1000);
  if (standard === 'ua-1') {
    try {
      return { pdf: compiler.pdf(document, { pdfStandard: 'ua-1', creationTimestamp }), standard };
    } catch {
      // It names what the standard does not allow: the book is marked up all the same.
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
