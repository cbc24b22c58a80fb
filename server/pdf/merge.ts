import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mark } from './files.ts';
import { type OutlineEntry, outlineObjects } from './outline.ts';
import {
  decodeText,
  encodeText,
  matchOrThrow,
  openPdf,
  type PdfFile,
  type Renumbering,
  reference,
  references,
  renumber,
} from './pdf-file.ts';
import { PdfWriter } from './pdf-writer.ts';

export interface MergeRequest {
  /** The parts in order. The metadata of the first becomes that of the book. */
  parts: PartFile[];
  /** The number of pages of the cover and table of contents, which are the first part if there are any. */
  front: number;
  outline: OutlineEntry[];
  output: string;
}

interface PartFile {
  file: string;
  marks: Mark[];
  /** The number of headings on an extra first page, which is left out with them. */
  lead: number;
}

/** Object numbers of the objects that belong to the book, not to a part. */
const BOOK = { catalog: 1, pages: 2, structure: 3, document: 4, labels: 5, outline: 6 };

/** How far above a mark its link leads, and the height of a page, in points. */
const ABOVE = 20;
const HEIGHT = 841.89;

interface Destination {
  /** The object number of the page. */
  page: number;
  /** Points from the bottom. */
  y: number;
}

/** A part, and how its objects are renumbered in the book. */
interface Part extends Renumbering {
  partFile: PartFile;
  /** The numbers of its objects that are replaced by objects of the book. */
  shared: ReadonlySet<number>;
  /** The object numbers of its pages in the book. */
  pages: number[];
  /** The next free object number after the part, and (`nextKey`) the next free key of the parent tree. */
  next: number;
  nextKey: number;
}

/**
 * Merges parts into one PDF: their pages, the links between them, the outline, page labels, and the structure tree for
 * assistive technology. Only one part is in memory at a time.
 */
export async function merge(folder: string, { parts: partFiles, front, outline, output }: MergeRequest) {
  const read = async ({ file }: PartFile) => openPdf(await readFile(join(folder, file)));
  const parts: Part[] = [];
  const destinations = new Map<string, Destination>();
  for (const partFile of partFiles) {
    const { next = BOOK.outline + 1, nextKey = 0 } = parts.at(-1) ?? {};
    const part = partOf(partFile, await read(partFile), { next, nextKey, index: parts.length });
    parts.push(part);
    for (const { place, page, y } of partFile.marks) {
      const number = part.pages[page - 1];
      if (number !== undefined) destinations.set(place, { page: number, y: HEIGHT - y + ABOVE });
    }
  }
  const bookmarks = outlineObjects(outline, {
    root: BOOK.outline,
    first: parts.at(-1)?.next ?? 0,
    destinationOf: (place) => destinationArray(destinations.get(place)),
  });
  const first = (parts.at(-1)?.next ?? 0) + bookmarks.size;
  const names = new Map(outline.map(({ place, name }) => [place, name]));
  const writer = await PdfWriter.create(join(folder, output), first + 2 * parts.length);
  try {
    const structure = new Structure();
    for (const [index, part] of parts.entries()) {
      const file = await read(part.partFile);
      structure.add(part, file, first + 2 * index);
      await copyPart(writer, part, file, (annotation) => resolveLink(annotation, destinations, names));
    }
    await structure.write(writer);
    for (const [number, text] of bookmarks) await writer.add(number, text);
    const pages = parts.flatMap((part) => part.pages);
    await writer.add(BOOK.pages, `<< /Type /Pages /Count ${pages.length} /Kids ${listOf(pages)} >>`);
    const labels = `${front > 0 ? '0 << /S /r >> ' : ''}${front} << /S /D >>`;
    await writer.add(BOOK.labels, `<< /Nums [${labels}] >>`);
    const metadata = await copyMetadata(
      writer,
      parts[0] as Part,
      await read(partFiles[0] as PartFile),
      pages.length,
    );
    await writer.add(BOOK.catalog, metadata.catalog);
    await writer.end(`/Root ${BOOK.catalog} 0 R ${metadata.trailer}`);
    return { pages: pages.length };
  } finally {
    await writer.close();
  }
}

/** Rewrites a PDF of the typesetter with compressed objects, at a third of the size. */
export async function compact(bytes: Buffer, path: string): Promise<void> {
  const file = openPdf(bytes);
  const same = (number: number) => number;
  const renumbering = { reference: same, structParent: same, idPrefix: '', shared: new Set<number>() };
  const writer = await PdfWriter.create(path, file.size);
  try {
    const roots = ['Root', 'Info'].map((name) => reference(file.trailer, name));
    await copyObjects(writer, renumbering, file, roots, (text) => text);
    await writer.end(matchOrThrow(/\/Root [\s\S]*\]/, file.trailer)[0]);
  } finally {
    await writer.close();
  }
}

/** Describes a part, with its objects numbered after those of the parts before it. */
function partOf(
  partFile: PartFile,
  file: PdfFile,
  { next, nextKey, index }: Pick<Part, 'next' | 'nextKey'> & { index: number },
): Part {
  const root = reference(file.catalog, 'StructTreeRoot');
  const structure = file.object(root).text;
  const known = new Map([
    [file.pageTree, BOOK.pages],
    [root, BOOK.structure],
    [reference(structure, 'K'), BOOK.document],
  ]);
  const numberOf = (number: number) => known.get(number) ?? next + number - 1;
  return {
    partFile,
    shared: new Set(known.keys()),
    reference: numberOf,
    structParent: (key) => nextKey + key,
    idPrefix: `${String(index).padStart(4, '0')}-`,
    pages: pagesOf(partFile, file).map(numberOf),
    next: next + file.size - 1,
    // A part without text has no parent tree.
    nextKey: nextKey + Number(/\/ParentTreeNextKey (\d+)/.exec(structure)?.[1] ?? 0),
  };
}

/** The pages of a part that go into the book. */
const pagesOf = ({ lead }: PartFile, { pages }: PdfFile): number[] => pages.slice(lead > 0 ? 1 : 0);

/** The structure tree of the book: the elements of all parts below one document, and the trees for looking them up. */
class Structure {
  readonly #roles = new Map<string, string>();
  readonly #kids: number[] = [];
  readonly #keyTrees: { number: number; text: string }[] = [];
  readonly #idTrees: { number: number; text: string }[] = [];
  #nextKey = 0;

  /** @param number of the object for the part's key tree; the next number is for its id tree */
  add(part: Part, file: PdfFile, number: number): void {
    const { text } = file.object(reference(file.catalog, 'StructTreeRoot'));
    const [, roles = ''] = /\/RoleMap <<([^>]*)>>/.exec(text) ?? [];
    for (const [, role = '', standard = ''] of roles.matchAll(/\/([^\s/]+) \/([^\s/]+)/g))
      this.#roles.set(role, standard);
    for (const element of elementsOf(part, file)) this.#kids.push(part.reference(element));
    const keys = keysOf(part, file);
    const [low, high] = [keys[0], keys.at(-1)];
    if (low && high) {
      const nums = keys.map(([key, value]) => `${part.structParent(key)} ${part.reference(value)} 0 R`);
      const limits = `${part.structParent(low[0])} ${part.structParent(high[0])}`;
      this.#keyTrees.push({ number, text: `<< /Limits [${limits}] /Nums [${nums.join(' ')}] >>` });
    }
    const ids = [
      ...(/\/IDTree <<\s*\/Names \[([^\]]*)\]/.exec(text)?.[1] ?? '').matchAll(/\(([^()]*)\) (\d+) 0 R/g),
    ];
    if (ids.length > 0) {
      const nameOf = (found: RegExpExecArray | undefined) => `(${part.idPrefix}${found?.[1]})`;
      const names = ids.map((found) => `${nameOf(found)} ${part.reference(Number(found[2]))} 0 R`);
      const limits = `${nameOf(ids[0])} ${nameOf(ids.at(-1))}`;
      this.#idTrees.push({
        number: number + 1,
        text: `<< /Limits [${limits}] /Names [${names.join(' ')}] >>`,
      });
    }
    this.#nextKey = part.nextKey;
  }

  async write(writer: PdfWriter): Promise<void> {
    const treeOf = (trees: readonly { number: number }[]) =>
      `<< /Kids ${listOf(trees.map(({ number }) => number))} >>`;
    for (const { number, text } of [...this.#keyTrees, ...this.#idTrees]) await writer.add(number, text);
    const roles = [...this.#roles].map(([role, standard]) => `/${role} /${standard}`).join(' ');
    const ids = this.#idTrees.length > 0 ? `/IDTree ${treeOf(this.#idTrees)}` : '';
    await writer.add(
      BOOK.structure,
      `<< /Type /StructTreeRoot /RoleMap << ${roles} >> /K [${BOOK.document} 0 R] /ParentTree ${treeOf(this.#keyTrees)} ` +
        `${ids} /ParentTreeNextKey ${this.#nextKey} >>`,
    );
    await writer.add(
      BOOK.document,
      `<< /Type /StructElem /S /Document /P ${BOOK.structure} 0 R /K ${listOf(this.#kids)} >>`,
    );
  }
}

/** The structure elements of a part, without those of headings that are left out. */
function elementsOf({ partFile }: Part, file: PdfFile): number[] {
  const { text } = file.object(reference(file.catalog, 'StructTreeRoot'));
  return references(file.object(reference(text, 'K')).text, 'K').slice(partFile.lead);
}

/** The entries of a part's parent tree: keys of its pages and links, with their elements. */
function keysOf({ partFile }: Part, file: PdfFile): [number, number][] {
  const { text } = file.object(reference(file.catalog, 'StructTreeRoot'));
  const leftOut = partFile.lead > 0 ? file.object(file.pages[0] as number).text : '';
  const key = /\/StructParents (\d+)/.exec(leftOut)?.[1];
  const [, pairs = ''] = /\/Nums \[([^\]]*)\]/.exec(text) ?? [];
  return [...pairs.matchAll(/\b(\d+) (\d+) 0 R/g)].flatMap((found): [number, number][] =>
    found[1] === key ? [] : [[Number(found[1]), Number(found[2])]],
  );
}

/** Copies the pages and elements of a part, with everything that they refer to. */
async function copyPart(
  writer: PdfWriter,
  part: Part,
  file: PdfFile,
  link: (annotation: string) => string,
): Promise<void> {
  const pending = [
    ...keysOf(part, file).map(([, value]) => value),
    ...elementsOf(part, file),
    ...pagesOf(part.partFile, file),
  ];
  await copyObjects(writer, part, file, pending, link);
}

/** Copies objects, with everything that they refer to. */
async function copyObjects(
  writer: PdfWriter,
  part: Renumbering & Pick<Part, 'shared'>,
  file: PdfFile,
  pending: number[],
  change: (text: string) => string,
): Promise<void> {
  const seen = new Set(pending);
  const renumbering: Renumbering = {
    ...part,
    reference(number) {
      if (!part.shared.has(number) && !seen.has(number)) {
        seen.add(number);
        pending.push(number);
      }
      return part.reference(number);
    },
  };
  for (let number = pending.pop(); number !== undefined; number = pending.pop()) {
    const { text, stream } = file.object(number);
    const changed = change(renumber(text, renumbering));
    if (stream) await writer.addStream(part.reference(number), changed, stream);
    else await writer.add(part.reference(number), changed);
  }
}

/** Copies the metadata of the first part, as that of the book. */
async function copyMetadata(writer: PdfWriter, part: Part, file: PdfFile, pages: number) {
  const metadata = reference(file.catalog, 'Metadata');
  const { text, stream } = file.object(metadata);
  const xmp = Buffer.from(
    (stream?.toString('utf8') ?? '').replace(/(<xmpTPg:NPages>)\d+/, (_, name) => `${name}${pages}`),
  );
  const dictionary = text.replace(/\/Length \d+/, `/Length ${xmp.length}`);
  await writer.addStream(part.reference(metadata), dictionary, xmp);
  const info = reference(file.trailer, 'Info');
  await copyObjects(writer, part, file, [info], (same) => same);
  const catalog = renumber(file.catalog, part)
    .replace(/\/(?:PageLabels|Outlines) \d+ 0 R/g, '')
    .replace(/>>$/, `/PageLabels ${BOOK.labels} 0 R /Outlines ${BOOK.outline} 0 R >>`);
  const [id = ''] = /\/ID \[[^\]]*\]/.exec(file.trailer) ?? [];
  return { catalog, trailer: `/Info ${part.reference(info)} 0 R ${id}` };
}

/** The URL scheme of links between parts; the place follows. */
const LINK_SCHEME = 'colophon:';
const TEXT = String.raw`\((?:\\.|[^\\()])*\)|<[\da-fA-F]*>`;
const LINK = new RegExp(String.raw`/A <<\s*/Type /Action\s*/S /URI\s*/URI (${TEXT})\s*>>`);
const CONTENTS = new RegExp(`/Contents (?:${TEXT})`);

/** Replaces the URL of a link between parts by its destination, and its description by the name of the destination. */
function resolveLink(
  annotation: string,
  destinations: ReadonlyMap<string, Destination>,
  names: ReadonlyMap<string, string>,
): string {
  if (!annotation.includes('/Subtype /Link')) return annotation;
  const [action, uri = ''] = LINK.exec(annotation) ?? [];
  const url = decodeText(uri);
  if (action === undefined || !url.startsWith(LINK_SCHEME)) return annotation;
  const place = url.slice(LINK_SCHEME.length);
  const [page = ''] = place.split('#', 1);
  const found = destinationArray(destinations.get(place) ?? destinations.get(page));
  const name = names.get(place) ?? names.get(page) ?? '';
  return (
    annotation
      // guard: pdf-links-between-parts
      .replace(action, found === undefined ? '' : `/Dest ${found}`)
      .replace(CONTENTS, `/Contents ${encodeText(name)}`)
  );
}

const destinationArray = (destination: Destination | undefined): string | undefined =>
  destination && `[${destination.page} 0 R /XYZ null ${Math.round(destination.y)} null]`;

const listOf = (numbers: readonly number[]): string =>
  `[${numbers.map((number) => `${number} 0 R`).join(' ')}]`;
