import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Document } from '../../routers/engine/document/document.ts';
import {
  type BookLayout,
  layOutChapter,
  plainChapter,
  withLivePlaces,
} from '../../routers/engine/pdf/chapter.ts';
import { inlineText } from '../../routers/engine/pdf/inlines.ts';
import { mathOf } from '../../routers/engine/pdf/math.ts';
import type { Chapter } from '../../routers/engine/pdf/nodes.ts';
import type { Spec } from '../../routers/engine/specs/spec-reader.ts';
import { languageFor } from '../pages/languages/index.ts';
import { FILES, type Plan, type PlannedChapter, type Source } from './files.ts';
import { createFontChooser } from './fonts.ts';
import { type ReadPicture, readPicture } from './images.ts';

/** Pictures that are read at once: two of the largest fit into memory. */
const READERS = 2;

/** Milliseconds that all pictures may take. */
const PICTURE_TIME = 100_000;

const RIGHT_TO_LEFT = new Set(['ar', 'he', 'fa', 'ur']);

/** Lays out all pages, and reads the pictures that they show. */
export async function prepare(folder: string, withPictures: boolean): Promise<void> {
  const source = JSON.parse(await readFile(join(folder, FILES.source), 'utf8')) as Source;
  const direction = RIGHT_TO_LEFT.has(source.language ?? '') ? 'rtl' : 'ltr';
  const book: BookLayout = {
    targets: new Map(source.targets),
    pages: new Set(source.pages.map(({ id }) => id)),
    direction,
    specOf: await readSpecs(folder, source),
    words: languageFor('en', source.language ?? undefined).texts,
  };
  const fonts = createFontChooser(source.language);
  fonts.see([source.title, source.subtitle, source.author].join(' '));

  const places = new Set(book.pages);
  const laidOut: { chapter: Chapter; alternatives: Chapter[] }[] = [];
  const pictures = new Set<string>();
  for (const page of source.pages) {
    const document =
      page.file === undefined
        ? undefined
        : (JSON.parse(await readFile(join(folder, page.file), 'utf8')) as Document);
    const chapter = layOutChapter(page, document, book);
    const alternatives = [true, false].map((withText) => plainChapter(page, document, book, { withText }));
    for (const place of chapter.anchors) places.add(place);
    for (const picture of chapter.pictures) pictures.add(picture);
    laidOut.push({ chapter, alternatives });
  }

  const notes: string[] = [];
  const read = new Map<string, ReadPicture>();
  const files = new Set(source.files);
  const end = Date.now() + PICTURE_TIME;
  const waiting = [...pictures];
  const readOne = (picture: string): Promise<ReadPicture> | ReadPicture => {
    if (!files.has(picture)) return { problem: 'is missing' };
    if (!withPictures || Date.now() > end) return { problem: 'could not be read in time' };
    return readPicture(join(folder, picture));
  };
  const readNext = async (): Promise<void> => {
    for (let picture = waiting.pop(); picture !== undefined; picture = waiting.pop())
      read.set(picture, await readOne(picture));
  };
  await Promise.all(Array.from({ length: READERS }, readNext));

  const chapters: PlannedChapter[] = [];
  for (const [index, { chapter, alternatives }] of laidOut.entries()) {
    const whole = { ...withLivePlaces(chapter, places), loose: [] };
    whole.c = completed(whole.c, read, (problem) =>
      notes.push(`${chapter.name}: ${problem}`),
    ) as Chapter['c'];
    const versions = [whole, ...alternatives.map((one) => ({ ...one, loose: one.anchors }))];
    const files = versions.map((_, version) => `${index}-${version}.json`) as PlannedChapter['files'];
    const texts = versions.map((version) => JSON.stringify(version));
    for (const [version, file] of files.entries())
      await writeFile(join(folder, file), texts[version] as string);
    fonts.see(texts[0] as string);
    chapters.push({
      id: chapter.id,
      level: chapter.level,
      name: chapter.name,
      isPart: chapter.isPart,
      files,
      size: (texts[0] as string).length,
      headings: chapter.c.flatMap((node) =>
        node.t === 'heading' && node.id !== undefined
          ? [{ place: node.id, name: inlineText(node.c), level: node.level }]
          : [],
      ),
    });
  }
  const plan: Plan = { chapters, fonts: fonts.choose(), notes };
  await writeFile(join(folder, FILES.plan), JSON.stringify(plan));
}

/** Reads the OpenAPI documents of a book. */
async function readSpecs(
  folder: string,
  { targets, files }: Source,
): Promise<(hash: string) => Spec | undefined> {
  const specs = new Map<string, Spec>();
  const names = new Set(
    targets.flatMap(([, { spec }]) => (spec !== undefined && files.includes(spec) ? spec : [])),
  );
  for (const name of names) specs.set(name, JSON.parse(await readFile(join(folder, name), 'utf8')) as Spec);
  return (hash) => specs.get(hash);
}

/** Nodes with the files of their pictures, notes in place of those that cannot be shown, and formulas as trees. */
function completed(
  value: unknown,
  pictures: ReadonlyMap<string, ReadPicture>,
  tell: (problem: string) => void,
): unknown {
  const inside = (entry: unknown) => completed(entry, pictures, tell);
  if (Array.isArray(value)) return value.map(inside);
  if (typeof value !== 'object' || value === null) return value;
  const node = value as Record<string, unknown>;
  if (node.t === 'math') {
    const tree = mathOf(node.f as string, { isBlock: !('inline' in node) });
    return tree ? { ...node, tree } : node;
  }
  const made = Object.fromEntries(
    Object.entries(node).map(([name, entry]) => [name, typeof entry === 'object' ? inside(entry) : entry]),
  );
  if (typeof node.picture !== 'string') return made;
  const found = pictures.get(node.picture) ?? { problem: 'is missing' };
  if ('file' in found) return { ...made, picture: basename(found.file) };
  const alt = typeof node.alt === 'string' && node.alt !== '' ? ` (${node.alt})` : '';
  const s = `A picture${alt} ${found.problem}.`;
  tell(s);
  if (node.t === 'figure') return { t: 'note', s };
  if (node.t === 'picture') return { t: 'run', s: `[${s}]`, m: 'i' };
  const { picture: _, ...others } = made;
  return others;
}
