import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mark } from './files.ts';
import { type OutlineEntry, outlineObjects } from './outline.ts';
import {
  decodeText,
  encodeText,
  expect,
  openPdf,
  type PdfFile,
  type Renaming,
  reference,
  references,
  renamed,
} from './pdf-file.ts';
import { PdfWriter } from './pdf-writer.ts';

export interface MergeOrder {
  /** The parts in their order; the first is what stands before the text, and says what the book is. */
  parts: PartOrder[];
  outline: OutlineEntry[];
  output: string;
}

interface PartOrder {
  file: string;
  marks: Mark[];
  /** Headings on a page of their own at its beginning, which are left out with it. */
  lead: number;
}

/** The numbers of the objects of the book that are of no part. */
const BOOK = { catalog: 1, pages: 2, structure: 3, document: 4, labels: 5, outline: 6 };

/** Points from the top of a mark up to where readers are brought, and of the height of a page. */
const ABOVE = 20;
const HEIGHT = 841.89;

interface Destination {
  /** The number of a page in the book. */
  page: number;
  /** Points from the bottom. */
  y: number;
}

/** A part, and how its objects are named in the book. */
interface Part extends Renaming {
  order: PartOrder;
  /** The numbers of its objects that the book has one of instead. */
  shared: ReadonlySet<number>;
  /** The numbers of its pages in the book. */
  pages: number[];
  /** One more than the highest number of its objects in the book, and than the highest of its keys. */
  next: number;
  nextKey: number;
}

/**
 * Puts parts together: their pages, the links between them, the outline, the numbers of pages, and what marks them up
 * for assistive technology. One part is in memory at a time.
 */
export async function merge(folder: string, { parts: orders, outline, output }: MergeOrder) {
  const read = async ({ file }: PartOrder) => openPdf(await readFile(join(folder, file)));
  const parts: Part[] = [];
  const destinations = new Map<string, Destination>();
  for (const order of orders) {
    const { next = BOOK.outline + 1, nextKey = 0 } = parts.at(-1) ?? {};
    const part = partOf(order, await read(order), { next, nextKey, index: parts.length });
    parts.push(part);
    for (const { place, page, y } of order.marks) {
      const number = part.pages[page - 1];
      if (number !== undefined) destinations.set(place, { page: number, y: HEIGHT - y + ABOVE });
    }
  }
  const bookmarks = outlineObjects(outline, {
    root: BOOK.outline,
    first: parts.at(-1)?.next ?? 0,
    destinationOf: (place) => textOf(destinations.get(place)),
  });
  const first = (parts.at(-1)?.next ?? 0) + bookmarks.size;
  const names = new Map(outline.map(({ place, name }) => [place, name]));
  const writer = await PdfWriter.create(join(folder, output), first + 2 * parts.length);
  try {
    const structure = new Structure();
    for (const [index, part] of parts.entries()) {
      const file = await read(part.order);
      structure.add(part, file, first + 2 * index);
      await copyPart(writer, part, file, (annotation) => linked(annotation, destinations, names));
    }
    await structure.write(writer);
    for (const [number, text] of bookmarks) await writer.add(number, text);
    const pages = parts.flatMap((part) => part.pages);
    await writer.add(BOOK.pages, `<< /Type /Pages /Count ${pages.length} /Kids ${listOf(pages)} >>`);
    const front = parts[0]?.pages.length ?? 0;
    await writer.add(BOOK.labels, `<< /Nums [0 << /S /r >> ${front} << /S /D >>] >>`);
    const about = await copyAbout(writer, parts[0] as Part, await read(orders[0] as PartOrder), pages.length);
    await writer.add(BOOK.catalog, about.catalog);
    await writer.end(`/Root ${BOOK.catalog} 0 R ${about.trailer}`);
    return { pages: pages.length };
  } finally {
    await writer.close();
  }
}

/** Writes a file of the typesetter anew, a third as large. */
export async function compact(bytes: Buffer, path: string): Promise<void> {
  const file = openPdf(bytes);
  const same = (number: number) => number;
  const naming = { reference: same, structParent: same, idPrefix: '', shared: new Set<number>() };
  const writer = await PdfWriter.create(path, file.size);
  try {
    const roots = ['Root', 'Info'].map((name) => reference(file.trailer, name));
    await copyObjects(writer, naming, file, roots, (text) => text);
    await writer.end(expect(/\/Root [\s\S]*\]/, file.trailer)[0]);
  } finally {
    await writer.close();
  }
}

/** How a part is named in the book, behind others. */
function partOf(
  order: PartOrder,
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
    order,
    shared: new Set(known.keys()),
    reference: numberOf,
    structParent: (key) => nextKey + key,
    idPrefix: `${String(index).padStart(4, '0')}-`,
    pages: pagesOf(order, file).map(numberOf),
    next: next + file.size - 1,
    nextKey: nextKey + Number(expect(/\/ParentTreeNextKey (\d+)/, structure)[1]),
  };
}

/** The pages of a part that are in the book. */
const pagesOf = ({ lead }: PartOrder, { pages }: PdfFile): number[] => pages.slice(lead > 0 ? 1 : 0);

/** What marks the book up for assistive technology: the elements of its parts below one, and the trees to find them. */
class Structure {
  readonly #roles = new Map<string, string>();
  readonly #kids: number[] = [];
  readonly #keyTrees: { number: number; text: string }[] = [];
  readonly #idTrees: { number: number; text: string }[] = [];
  #nextKey = 0;

  /** @param number of an object for its tree of keys, before that of its ids */
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

/** The elements of a part, without those of headings that are left out. */
function elementsOf({ order }: Part, file: PdfFile): number[] {
  const { text } = file.object(reference(file.catalog, 'StructTreeRoot'));
  return references(file.object(reference(text, 'K')).text, 'K').slice(order.lead);
}

/** What the elements of pages and links of a part are found by. */
function keysOf({ order }: Part, file: PdfFile): [number, number][] {
  const { text } = file.object(reference(file.catalog, 'StructTreeRoot'));
  const leftOut = order.lead > 0 ? file.object(file.pages[0] as number).text : '';
  const key = /\/StructParents (\d+)/.exec(leftOut)?.[1];
  const pairs = expect(/\/Nums \[([^\]]*)\]/, text)[1] ?? '';
  return [...pairs.matchAll(/\b(\d+) (\d+) 0 R/g)].flatMap((found): [number, number][] =>
    found[1] === key ? [] : [[Number(found[1]), Number(found[2])]],
  );
}

/** Writes all that the pages and elements of a part consist of. */
async function copyPart(
  writer: PdfWriter,
  part: Part,
  file: PdfFile,
  link: (annotation: string) => string,
): Promise<void> {
  const pending = [
    ...keysOf(part, file).map(([, value]) => value),
    ...elementsOf(part, file),
    ...pagesOf(part.order, file),
  ];
  await copyObjects(writer, part, file, pending, link);
}

/** Writes some objects, with those that they name. */
async function copyObjects(
  writer: PdfWriter,
  part: Renaming & Pick<Part, 'shared'>,
  file: PdfFile,
  pending: number[],
  change: (text: string) => string,
): Promise<void> {
  const seen = new Set(pending);
  const naming: Renaming = {
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
    const changed = change(renamed(text, naming));
    if (stream) await writer.addStream(part.reference(number), changed, stream);
    else await writer.add(part.reference(number), changed);
  }
}

/** Writes what the first part says of the book. */
async function copyAbout(writer: PdfWriter, part: Part, file: PdfFile, pages: number) {
  const metadata = reference(file.catalog, 'Metadata');
  const { text, stream } = file.object(metadata);
  const xmp = Buffer.from(
    (stream?.toString('utf8') ?? '').replace(/(<xmpTPg:NPages>)\d+/, (_, name) => `${name}${pages}`),
  );
  const dictionary = text.replace(/\/Length \d+/, `/Length ${xmp.length}`);
  await writer.addStream(part.reference(metadata), dictionary, xmp);
  const info = reference(file.trailer, 'Info');
  await copyObjects(writer, part, file, [info], (same) => same);
  const catalog = renamed(file.catalog, part)
    .replace(/\/(?:PageLabels|Outlines) \d+ 0 R/g, '')
    .replace(/>>$/, `/PageLabels ${BOOK.labels} 0 R /Outlines ${BOOK.outline} 0 R >>`);
  const [id = ''] = /\/ID \[[^\]]*\]/.exec(file.trailer) ?? [];
  return { catalog, trailer: `/Info ${part.reference(info)} 0 R ${id}` };
}

/** Links between parts have this and the place as their address. */
const ADDRESS = 'colophon:';
const TEXT = String.raw`\((?:\\.|[^\\()])*\)|<[\da-fA-F]*>`;
const LINK = new RegExp(String.raw`/A <<\s*/Type /Action\s*/S /URI\s*/URI (${TEXT})\s*>>`);
const CONTENTS = new RegExp(`/Contents (?:${TEXT})`);

/** Has a link that leads to another part lead there, and say so. */
function linked(
  annotation: string,
  destinations: ReadonlyMap<string, Destination>,
  names: ReadonlyMap<string, string>,
): string {
  if (!annotation.includes('/Subtype /Link')) return annotation;
  const [action, uri = ''] = LINK.exec(annotation) ?? [];
  const address = decodeText(uri);
  if (action === undefined || !address.startsWith(ADDRESS)) return annotation;
  const place = address.slice(ADDRESS.length);
  const [page = ''] = place.split('#', 1);
  const found = textOf(destinations.get(place) ?? destinations.get(page));
  const name = names.get(place) ?? names.get(page) ?? '';
  return annotation
    .replace(action, found === undefined ? '' : `/Dest ${found}`)
    .replace(CONTENTS, `/Contents ${encodeText(name)}`);
}

const textOf = (destination: Destination | undefined): string | undefined =>
  destination && `[${destination.page} 0 R /XYZ null ${Math.round(destination.y)} null]`;

const listOf = (numbers: readonly number[]): string =>
  `[${numbers.map((number) => `${number} 0 R`).join(' ')}]`;
