import {
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFHexString,
  PDFName,
  type PDFRef,
  PDFString,
} from '@cantoo/pdf-lib';

export interface ReadPdf {
  pages: number;
  /** The titles of the bookmarks, in order. */
  outline: string[];
  title: string | undefined;
  language: string | undefined;
  isTagged: boolean;
  /** The URLs of external links, and the number of internal links. */
  links: string[];
  jumps: number;
  /** The pages, from 0, that internal links with a page lead to. */
  destinations: number[];
  /** The styles of page labels, by the page at which each begins. */
  labels: Record<number, string>;
}

const textOf = (value: unknown): string =>
  value instanceof PDFHexString || value instanceof PDFString ? value.decodeText() : '';

/** The outline and metadata of a PDF. */
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
  const destinations: number[] = [];
  const numbers = new Map(pdf.getPages().map(({ ref }, index) => [ref, index]));
  for (const page of pdf.getPages()) {
    const annotations = page.node.lookup(name('Annots'));
    for (let index = 0; annotations instanceof PDFArray && index < annotations.size(); index++) {
      const annotation = annotations.lookup(index, PDFDict);
      const action = annotation.lookup(name('A'));
      const uri = action instanceof PDFDict ? textOf(action.lookup(name('URI'))) : '';
      const destination = annotation.lookup(name('Dest'));
      const page = destination instanceof PDFArray ? numbers.get(destination.get(0) as PDFRef) : undefined;
      if (page !== undefined) destinations.push(page);
      if (uri === '') jumps += 1;
      else links.push(uri);
    }
  }
  const labels: Record<number, string> = {};
  const styles = pdf.catalog.lookupMaybe(name('PageLabels'), PDFDict)?.lookup(name('Nums'), PDFArray);
  for (let index = 0; styles && index < styles.size(); index += 2)
    labels[Number(styles.lookup(index))] = String(styles.lookup(index + 1, PDFDict).lookup(name('S')));
  return {
    pages: pdf.getPageCount(),
    outline,
    title: pdf.getTitle(),
    language: textOf(pdf.catalog.lookup(name('Lang'))),
    isTagged: pdf.catalog.has(name('StructTreeRoot')),
    links,
    jumps,
    destinations,
    labels,
  };
}
