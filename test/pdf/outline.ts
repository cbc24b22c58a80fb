import { PDFArray, PDFDict, PDFDocument, PDFHexString, PDFName, PDFString } from '@cantoo/pdf-lib';

export interface ReadPdf {
  pages: number;
  /** The titles of the bookmarks, in their order. */
  outline: string[];
  title: string | undefined;
  language: string | undefined;
  isTagged: boolean;
  /** The addresses that links lead to outside of it, and the number of those that lead into it. */
  links: string[];
  jumps: number;
}

const textOf = (value: unknown): string =>
  value instanceof PDFHexString || value instanceof PDFString ? value.decodeText() : '';

/** What a PDF says of itself. */
export async function readPdfFile(bytes: Uint8Array): Promise<ReadPdf> {
  const pdf = await PDFDocument.load(bytes, { updateMetadata: false });
  const name = (key: string) => PDFName.of(key);
  const outline: string[] = [];
  const walk = (item: unknown): void => {
    for (let next = item; next instanceof PDFDict; next = next.lookup(name('Next'))) {
      outline.push(textOf(next.lookup(name('Title'))));
      walk(next.lookup(name('First')));
    }
  };
  const root = pdf.catalog.lookup(name('Outlines'));
  if (root instanceof PDFDict) walk(root.lookup(name('First')));
  const links: string[] = [];
  let jumps = 0;
  for (const page of pdf.getPages()) {
    const annotations = page.node.lookup(name('Annots'));
    for (let index = 0; annotations instanceof PDFArray && index < annotations.size(); index++) {
      const annotation = annotations.lookup(index, PDFDict);
      const action = annotation.lookup(name('A'));
      const uri = action instanceof PDFDict ? textOf(action.lookup(name('URI'))) : '';
      if (uri === '') jumps += 1;
      else links.push(uri);
    }
  }
  return {
    pages: pdf.getPageCount(),
    outline,
    title: pdf.getTitle(),
    language: textOf(pdf.catalog.lookup(name('Lang'))),
    isTagged: pdf.catalog.has(name('StructTreeRoot')),
    links,
    jumps,
  };
}
