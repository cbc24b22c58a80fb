import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeCompiler, type NodeTypstDocument } from '@myriaddreamin/typst-ts-node-compiler';
import { type BookData, type Failure, FILES, type Mark, type Plan, type Setting } from './files.ts';
import { readFonts } from './fonts.ts';

/** A part of the book, or all of it, and the file that it becomes. */
export interface TypesetOrder {
  data: BookData;
  output: string;
  /** Whether it is marked up for assistive technology. */
  isTagged: boolean;
  /** Milliseconds since 1970. */
  time: number;
}

/** Sets some chapters. */
export async function typeset(folder: string, order: TypesetOrder): Promise<Setting | Failure> {
  const plan = JSON.parse(await readFile(join(folder, FILES.plan), 'utf8')) as Plan;
  await writeFile(join(folder, FILES.book), JSON.stringify(order.data));
  const compiler = NodeCompiler.create({
    workspace: folder,
    fontArgs: [{ fontBlobs: await readFonts(plan.fonts.fonts) }],
  });
  const result = compiler.compile({ mainFilePath: join(folder, FILES.template) });
  const document = result.result;
  if (result.hasError() || !document) return { problem: describe(compiler, result.takeDiagnostics()) };
  const marks =
    order.data.links === 'places'
      ? []
      : (compiler.query(document, { selector: '<mark>' }) as { value: Mark }[]).map(({ value }) => value);
  const { pdf, standard } = write(compiler, document, order);
  await writeFile(join(folder, order.output), pdf);
  return { pages: document.numOfPages, marks, standard };
}

/** As PDF/UA-1 if what the book holds allows it, which the typesetter checks. */
function write(
  compiler: NodeCompiler,
  document: NodeTypstDocument,
  { isTagged, time }: TypesetOrder,
): { pdf: Buffer; standard: Setting['standard'] } {
  const creationTimestamp = Math.floor(time / 1000);
  if (!isTagged)
    return { pdf: compiler.pdf(document, { pdfTags: false, creationTimestamp }), standard: 'plain' };
  try {
    return { pdf: compiler.pdf(document, { pdfStandard: 'ua-1', creationTimestamp }), standard: 'ua-1' };
  } catch {
    // It names what the standard does not allow: the book is marked up all the same.
    return { pdf: compiler.pdf(document, { pdfTags: true, creationTimestamp }), standard: 'tagged' };
  }
}

function describe(
  compiler: NodeCompiler,
  diagnostics: Parameters<NodeCompiler['fetchDiagnostics']>[0] | null,
): string {
  const list = diagnostics ? compiler.fetchDiagnostics(diagnostics) : [];
  return list.map((one: { message?: string }) => one.message ?? '').join('; ') || 'unknown';
}
