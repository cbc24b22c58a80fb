import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BookData,
  chapterFile,
  type Failure,
  FILES,
  type Plan,
  type PlannedChapter,
  type Setting,
  type Source,
  type Standard,
  VERSIONS,
  type Version,
} from './files.ts';
import type { MergeOrder } from './merge.ts';
import { runStep, StepFailed, type StepLimits } from './steps.ts';
import type { TypesetOrder } from './typeset.ts';

/** Chapters, and characters of them as JSON, that are set at once: setting them takes up to 1 GB. */
interface PartSize {
  chapters: number;
  size: number;
}

const PART: PartSize = { chapters: 60, size: 700_000 };

const TEMPLATE = new URL('./template.typ', import.meta.url);

export interface TypesetBook {
  /** Path of the file, its hash, and its bytes. */
  path: string;
  sha256: string;
  size: number;
  pages: number;
  /** What is missing, or was simplified. */
  notes: string[];
  standard: Standard;
}

interface Options {
  signal: AbortSignal;
  /** Chapters that are done. */
  onProgress(done: number, total: number): void;
  limits?: StepLimits;
  part?: PartSize;
  /** The look of the book. */
  template?: URL;
}

/** Some chapters that have been set, as a file of their own. */
interface SetPart extends Setting {
  file: string;
  lead: number;
}

/**
 * Makes the book whose source is in a folder. Each step runs in a process of its own, which is killed if it takes too
 * long or too much memory; a chapter that fails is set as plain text, or is left out, with a note in its place.
 */
export async function typesetBook(folder: string, options: Options): Promise<TypesetBook> {
  const { signal, onProgress, part = PART, template = TEMPLATE } = options;
  const step = <Result>(order: object) => runStep<Result>({ folder, ...order }, options);
  const source = JSON.parse(await readFile(join(folder, FILES.source), 'utf8')) as Source;
  await copyFile(template, join(folder, FILES.template));
  const total = source.pages.length;
  onProgress(0, total);
  const prepare = (withPictures: boolean) => step<null>({ step: 'prepare', withPictures });
  await prepare(true).catch((error: unknown) => {
    // Of all that is read, pictures take the most, and bring the most that may be wrong.
    if (error instanceof StepFailed && source.files.length > 0) return prepare(false);
    throw error;
  });
  const plan = JSON.parse(await readFile(join(folder, FILES.plan), 'utf8')) as Plan;
  const notes = [...plan.notes];
  const versions = new Map<PlannedChapter, Version>();

  const set = (
    chapters: readonly PlannedChapter[],
    output: string,
    more: Partial<BookData>,
    standard: Standard = 'ua-1',
  ): Promise<Setting | Failure> => {
    const data = { ...dataOf(source, plan), sheets: sheetsOf(chapters, versions), ...more };
    const order: TypesetOrder = { data, output, standard, time: source.time };
    return step<Setting | Failure>({ step: 'typeset', order }).catch((error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof StepFailed) return { problem: error.message };
      throw error;
    });
  };

  const finish = async (pages: number, standard: Standard): Promise<TypesetBook> => {
    const path = join(folder, FILES.output);
    onProgress(total, total);
    return { path, pages, notes, standard, ...(await measure(path)) };
  };

  const pending = partsOf(plan.chapters, part);
  if (pending.length === 1) {
    const whole = await set(plan.chapters, FILES.output, {
      contents: total > 1,
      cover: !source.isSingle,
    });
    if (!('problem' in whole)) return finish(whole.pages, whole.standard);
  }

  /** Has a chapter that cannot be set be simpler. */
  const simplify = async (chapter: PlannedChapter, problem: string): Promise<void> => {
    const version = VERSIONS[VERSIONS.indexOf(versions.get(chapter) ?? 'layout') + 1];
    if (version === undefined) throw new Error(`the book could not be set: ${problem}`);
    await step<null>({ step: 'simplify', index: chapter.index, version });
    versions.set(chapter, version);
    const outcome = version === 'plain' ? 'set as plain text' : 'left out';
    notes.push(`${chapter.name}: ${outcome} (${problem.slice(0, 200)})`);
  };

  const parts: SetPart[] = [];
  let start = 1;
  let done = 0;
  for (let chapters = pending.shift(); chapters; chapters = pending.shift()) {
    const file = `part-${parts.length}.pdf`;
    const [first] = chapters;
    const lead = (first?.level ?? 1) - 1;
    const setting = await set(chapters, file, { links: 'marks', start, lead });
    if (!('problem' in setting)) {
      parts.push({ ...setting, file, lead });
      start += setting.pages;
      done += chapters.length;
      onProgress(done, total);
    } else if (chapters.length > 1) {
      // Together they may be too much, and what cannot be set at all is found by halves.
      const middle = Math.ceil(chapters.length / 2);
      pending.unshift(chapters.slice(0, middle), chapters.slice(middle));
    } else {
      if (!first) throw new Error(`the book could not be set: ${setting.problem}`);
      await simplify(first, setting.problem);
      pending.unshift(chapters);
    }
  }
  const standard = parts.every((one) => one.standard === 'ua-1') ? 'ua-1' : 'tagged';
  const front = await set([], 'front.pdf', { ...frontOf(source, plan, parts), links: 'marks' }, standard);
  if ('problem' in front) throw new Error(`the contents could not be set: ${front.problem}`);
  const order: MergeOrder = {
    parts: [{ file: 'front.pdf', marks: [], lead: 0 }, ...parts],
    outline: plan.chapters.flatMap(({ id, name, level, headings }) => [
      { place: id, name, level },
      ...headings,
    ]),
    output: FILES.output,
  };
  const { pages } = await step<{ pages: number }>({ step: 'merge', order });
  return finish(pages, front.standard);
}

/** The cover, and the contents of parts that are put together. */
function frontOf(source: Source, plan: Plan, parts: readonly SetPart[]): Partial<BookData> {
  const pageOf = new Map<string, number>();
  let start = 1;
  for (const { marks, pages } of parts) {
    for (const { place, page } of marks) pageOf.set(place, start + page - 1);
    start += pages;
  }
  const entries = plan.chapters.flatMap(({ id, level, name }) =>
    level <= 3 && pageOf.has(id) ? [{ to: id, level, name, page: String(pageOf.get(id)) }] : [],
  );
  return { cover: !source.isSingle, contents: source.pages.length > 1, entries };
}

const dataOf = (source: Source, plan: Plan): BookData => {
  const [language = 'en', region = null] = (source.language ?? 'en').split('-');
  return {
    title: source.title,
    'cover-title': source.title,
    subtitle: source.subtitle,
    author: source.author,
    description: source.description,
    date: source.date,
    language: language === 'yue' ? 'zh' : language,
    region: language === 'yue' ? 'HK' : (region?.toUpperCase() ?? null),
    accent: source.accent,
    words: source.words,
    fonts: plan.fonts,
    links: 'places',
    headings: false,
    cover: false,
    contents: false,
    start: 1,
    lead: 0,
    sheets: [],
  };
};

/** Each document begins a page, with the parts above it that it is the first of. */
function sheetsOf(
  chapters: readonly PlannedChapter[],
  versions: ReadonlyMap<PlannedChapter, Version>,
): string[][] {
  const sheets: string[][] = [];
  let open: string[] = [];
  for (const chapter of chapters) {
    open.push(chapterFile(chapter, versions.get(chapter) ?? 'layout'));
    if (chapter.isPart) continue;
    sheets.push(open);
    open = [];
  }
  if (open.length > 0) sheets.push(open);
  return sheets;
}

/** Chapters in parts that can be set at once. */
function partsOf(chapters: readonly PlannedChapter[], most: PartSize): PlannedChapter[][] {
  const parts: PlannedChapter[][] = [[]];
  let size = 0;
  for (const chapter of chapters) {
    const last = parts.at(-1) as PlannedChapter[];
    const isFull = last.length >= most.chapters || (last.length > 0 && size + chapter.size > most.size);
    // A part of the contents stays with what it holds.
    if (isFull && !last.at(-1)?.isPart) {
      parts.push([chapter]);
      size = chapter.size;
    } else {
      last.push(chapter);
      size += chapter.size;
    }
  }
  return parts;
}

/** The hash of a file, and its bytes. */
async function measure(path: string): Promise<{ sha256: string; size: number }> {
  const digest = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(path)) {
    digest.update(chunk);
    size += chunk.length;
  }
  return { sha256: digest.digest('hex'), size };
}
