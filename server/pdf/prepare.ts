import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Document } from '../../routers/engine/document/document.ts';
import {
  type BookLayout,
  layOutChapter,
  plainChapter,
  withoutDeadLinks,
} from '../../routers/engine/pdf/chapter.ts';
import { inlineText } from '../../routers/engine/pdf/inlines.ts';
import { filledIn, textsIn } from '../../routers/engine/pdf/languages/index.ts';
import type { PictureProblem } from '../../routers/engine/pdf/languages/texts.ts';
import { mathOf } from '../../routers/engine/pdf/math.ts';
import type { Chapter } from '../../routers/engine/pdf/nodes.ts';
import type { Spec } from '../../routers/engine/specs/spec-reader.ts';
import { languageFor } from '../pages/languages/index.ts';
import {
  type BookSource,
  chapterFile,
  FILES,
  type Plan,
  type PlannedChapter,
  type Version,
} from './files.ts';
import { createFontChooser } from './fonts.ts';
import { type ConvertedPicture, convertPicture } from './images.ts';

/** Number of pictures that are converted at once: two of the largest fit into memory. */
const READERS = 2;

/** Milliseconds that all pictures together may take. */
const PICTURE_TIME = 100_000;

/** Lays out all pages, one after the other, and converts the pictures that they show. */
export async function prepare(folder: string, withPictures: boolean): Promise<void> {
  const source = await readJson<BookSource>(folder, FILES.source);
  const book = await layoutOf(folder, source);
  const fonts = createFontChooser(source.language);
  fonts.scan([source.title, source.subtitle, source.author].join(' '));

  const places = new Map([...book.pages].map((page) => [page, page]));
  const aliases = new Map<string, string>();
  const pictures = new Set<string>();
  for (const [index, page] of source.pages.entries()) {
    const { chapter, aliases: found } = layOutChapter(page, await readDocument(folder, page), book);
    for (const place of chapter.anchors) places.set(place, place);
    for (const [alias, place] of found) aliases.set(alias, place);
    for (const picture of chapter.pictures) pictures.add(picture);
    await writeJson(folder, chapterFile({ index }, 'draft'), chapter);
  }

  for (const [alias, place] of aliases) if (!places.has(alias)) places.set(alias, place);
  const notes: string[] = [];
  const read = await convertPictures(folder, withPictures ? source.files : undefined, [...pictures]);
  const chapters: PlannedChapter[] = [];
  for (const index of source.pages.keys()) {
    const file = chapterFile({ index }, 'draft');
    const chapter = withoutDeadLinks(await readJson<Chapter>(folder, file), places);
    await rm(join(folder, file));
    const c = resolvePictures(chapter.c, read, (problem, alt) => {
      notes.push(`${chapter.name}: ${problemText(problem, alt, 'en')}`);
      return problemText(problem, alt, source.language);
    });
    const text = await writeJson(folder, chapterFile({ index }, 'layout'), { ...chapter, loose: [], c });
    fonts.scan(text);
    chapters.push({
      id: chapter.id,
      level: chapter.level,
      name: chapter.name,
      isPart: chapter.isPart,
      index,
      size: text.length,
      headings: chapter.c.flatMap((node) =>
        node.t === 'heading' && node.id !== undefined
          ? [{ place: node.id, name: inlineText(node.c), level: node.level }]
          : [],
      ),
    });
  }
  const plan: Plan = { chapters, fonts: fonts.choose(), notes };
  await writeJson(folder, FILES.plan, plan);
}

/** Lays out a simpler version of a page that the typesetter failed on. */
export async function simplify(folder: string, index: number, version: Version): Promise<void> {
  const source = await readJson<BookSource>(folder, FILES.source);
  const page = source.pages[index];
  if (!page) throw new Error(`there is no page ${index}`);
  const chapter = plainChapter(page, await readDocument(folder, page), await layoutOf(folder, source), {
    withText: version === 'plain',
  });
  await writeJson(folder, chapterFile({ index }, version), { ...chapter, loose: chapter.anchors });
}

async function layoutOf(folder: string, source: BookSource): Promise<BookLayout> {
  const { texts, direction } = languageFor('en', source.language ?? undefined);
  return {
    targets: new Map(source.targets),
    pages: new Set(source.pages.map(({ id }) => id)),
    direction,
    specOf: await readSpecs(folder, source),
    language: source.language,
    texts,
  };
}

const readDocument = async (folder: string, { file }: BookSource['pages'][number]) =>
  file === undefined ? undefined : readJson<Document>(folder, file);

async function readJson<Value>(folder: string, file: string): Promise<Value> {
  return JSON.parse(await readFile(join(folder, file), 'utf8')) as Value;
}

/** @returns the JSON that was written */
async function writeJson(folder: string, file: string, value: object): Promise<string> {
  const text = JSON.stringify(value);
  await writeFile(join(folder, file), text);
  return text;
}

/** Converts pictures, a few at once. @param files the available files; if undefined, no picture is converted */
async function convertPictures(
  folder: string,
  files: readonly string[] | undefined,
  waiting: string[],
): Promise<Map<string, ConvertedPicture>> {
  const read = new Map<string, ConvertedPicture>();
  const known = new Set(files);
  const end = Date.now() + PICTURE_TIME;
  const convert = (picture: string): Promise<ConvertedPicture> | ConvertedPicture => {
    if (!files || Date.now() > end) return { problem: 'late' };
    return known.has(picture) ? convertPicture(join(folder, picture)) : { problem: 'missing' };
  };
  const convertNext = async (): Promise<void> => {
    for (let picture = waiting.pop(); picture !== undefined; picture = waiting.pop())
      read.set(picture, await convert(picture));
  };
  await Promise.all(Array.from({ length: READERS }, convertNext));
  return read;
}

/** Reads the OpenAPI specs of a book. */
async function readSpecs(
  folder: string,
  { targets, files }: BookSource,
): Promise<(hash: string) => Spec | undefined> {
  const specs = new Map<string, Spec>();
  const names = new Set(
    targets.flatMap(([, { spec }]) => (spec !== undefined && files.includes(spec) ? spec : [])),
  );
  for (const name of names) specs.set(name, await readJson<Spec>(folder, name));
  return (hash) => specs.get(hash);
}

const problemText = (problem: PictureProblem, alt: string, language: string | null): string =>
  filledIn(textsIn(language).pictureProblems[problem], alt === '' ? '' : ` (${alt})`);

/**
 * Adds picture files and formula trees to nodes; replaces pictures that cannot be shown by notes.
 * @param report reports a picture by its alternative text, and returns the note
 */
function resolvePictures(
  value: unknown,
  pictures: ReadonlyMap<string, ConvertedPicture>,
  report: (problem: PictureProblem, alt: string) => string,
): unknown {
  const inside = (entry: unknown) => resolvePictures(entry, pictures, report);
  if (Array.isArray(value)) return value.map(inside);
  if (typeof value !== 'object' || value === null) return value;
  const node = value as Record<string, unknown>;
  if (node.t === 'math') {
    const tree = mathOf(node.f as string, { isBlock: !('inline' in node) });
    return tree ? { ...node, tree } : node;
  }
  const resolved = Object.fromEntries(
    Object.entries(node).map(([name, entry]) => [name, typeof entry === 'object' ? inside(entry) : entry]),
  );
  if (typeof node.picture !== 'string') return resolved;
  const found = pictures.get(node.picture) ?? { problem: 'missing' as const };
  if ('file' in found) return { ...resolved, picture: basename(found.file) };
  const s = report(found.problem, typeof node.alt === 'string' ? node.alt : '');
  if (node.t === 'figure') return { t: 'note', s };
  if (node.t === 'picture') return { t: 'run', s: `[${s}]`, m: 'i' };
  const { picture: _, ...others } = resolved;
  return others;
}
