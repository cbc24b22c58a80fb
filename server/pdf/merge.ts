import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type PDFArray,
  PDFDict,
  PDFDocument,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFRef,
  PDFString,
} from '@cantoo/pdf-lib';
import type { Mark } from './files.ts';

/** What the links between parts have as their address. */
const SCHEME = 'colophon:';

export interface MergeOrder {
  /** The parts in their order; the first is what stands before the text. */
  parts: { file: string; marks: Mark[] }[];
  outline: OutlineEntry[];
  output: string;
  title: string;
  author: string;
  language: string;
  time: number;
}

interface OutlineEntry {
  place: string;
  name: string;
  level: number;
}

/** Puts parts together: their pages, the links between them, the outline, and the numbers of pages. */
export async function merge(folder: string, order: MergeOrder): Promise<{ pages: number }> {
  const book = await PDFDocument.create();
  const places = new Map<string, { page: PDFRef; y: number }>();
  let front = 0;
  for (const [index, part] of order.parts.entries()) {
    const read = await PDFDocument.load(await readFile(join(folder, part.file)), { updateMetadata: false });
    const pages = await book.copyPages(read, read.getPageIndices());
    for (const page of pages) book.addPage(page);
    if (index === 0) front = pages.length;
    for (const { place, page, y } of part.marks) {
      const target = pages[page - 1];
      if (target) places.set(place, { page: target.ref, y: target.getHeight() - y + 20 });
    }
  }
  const destination = (place: string) => {
    const found = places.get(place);
    return found && book.context.obj([found.page, PDFName.of('XYZ'), null, Math.round(found.y), null]);
  };
  for (const page of book.getPages()) linkPage(page.node.Annots(), destination);
  addOutline(book, order.outline, destination);
  book.catalog.set(
    PDFName.of('PageLabels'),
    book.context.obj({ Nums: [0, { S: PDFName.of('r') }, front, { S: PDFName.of('D') }] }),
  );
  book.setTitle(order.title, { showInWindowTitleBar: true });
  book.setAuthor(order.author);
  book.setLanguage(order.language);
  book.setCreationDate(new Date(order.time));
  book.setModificationDate(new Date(order.time));
  book.setProducer('Typst, pdf-lib');
  book.setCreator('Colophon');
  const bytes = await book.save({ useObjectStreams: true, addDefaultPage: false, objectsPerTick: 2000 });
  await writeFile(join(folder, order.output), bytes);
  return { pages: book.getPageCount() };
}

/** Has the links that lead to other parts lead there; those that lead nowhere are taken out. */
function linkPage(
  annotations: PDFArray | undefined,
  destination: (place: string) => PDFArray | undefined,
): void {
  for (let index = (annotations?.size() ?? 0) - 1; index >= 0; index--) {
    const annotation = annotations?.lookup(index);
    const action = annotation instanceof PDFDict ? annotation.lookup(PDFName.of('A')) : undefined;
    const uri = action instanceof PDFDict ? action.lookup(PDFName.of('URI')) : undefined;
    if (!(uri instanceof PDFString || uri instanceof PDFHexString)) continue;
    const address = uri.decodeText();
    if (!address.startsWith(SCHEME)) continue;
    const target = destination(address.slice(SCHEME.length));
    if (!target) {
      annotations?.remove(index);
      continue;
    }
    (annotation as PDFDict).delete(PDFName.of('A'));
    (annotation as PDFDict).set(PDFName.of('Dest'), target);
  }
}

interface OutlineNode {
  entry: OutlineEntry;
  ref: PDFRef;
  children: OutlineNode[];
}

/** The bookmarks: chapters are open down to the first level, so that the list can be read. */
function addOutline(
  book: PDFDocument,
  entries: readonly OutlineEntry[],
  destination: (place: string) => PDFArray | undefined,
): void {
  const { context } = book;
  const root: OutlineNode = {
    entry: { place: '', name: '', level: 0 },
    ref: context.nextRef(),
    children: [],
  };
  const open = [root];
  for (const entry of entries) {
    while (open.length > 1 && (open.at(-1) as OutlineNode).entry.level >= entry.level) open.pop();
    const node: OutlineNode = { entry, ref: context.nextRef(), children: [] };
    (open.at(-1) as OutlineNode).children.push(node);
    open.push(node);
  }
  const pending = [root];
  for (let node = pending.pop(); node; node = pending.pop()) {
    const { children, ref } = node;
    const dict =
      node === root ? context.obj({ Type: 'Outlines' }) : (context.lookup(ref, PDFDict) as PDFDict);
    if (children.length > 0) {
      dict.set(PDFName.of('First'), (children[0] as OutlineNode).ref);
      dict.set(PDFName.of('Last'), (children.at(-1) as OutlineNode).ref);
      dict.set(PDFName.of('Count'), PDFNumber.of(node === root ? children.length : -children.length));
    }
    if (node === root) context.assign(ref, dict);
    for (const [index, child] of children.entries()) {
      const item = context.obj({ Title: PDFHexString.fromText(child.entry.name), Parent: ref });
      const target = destination(child.entry.place);
      if (target) item.set(PDFName.of('Dest'), target);
      const before = children[index - 1];
      const after = children[index + 1];
      if (before) item.set(PDFName.of('Prev'), before.ref);
      if (after) item.set(PDFName.of('Next'), after.ref);
      context.assign(child.ref, item);
      pending.push(child);
    }
  }
  if (root.children.length > 0) book.catalog.set(PDFName.of('Outlines'), root.ref);
}
