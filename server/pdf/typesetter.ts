import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BookData,
  type BookSource,
  chapterFile,
  type Failure,
  FILES,
  type Plan,
  type PlannedChapter,
  type Standard,
  type TypesetPart,
  VERSIONS,
  type Version,
} from './files.ts';
import type { MergeRequest } from './merge.ts';
import { runStep, StepFailed, type StepLimits } from './steps.ts';
import type { TypesetRequest } from './typeset.ts';

/** How many chapters, and characters of them as JSON, are typeset at once, which takes up to 1 GB of memory. */
interface PartSize {
  chapters: number;
  size: number;
}

const DEFAULT_PART_SIZE: PartSize = { chapters: 60, size: 700_000 };

const TEMPLATE = new URL('./template.typ', import.meta.url);

export interface TypesetBook {
  /** The path of the file, its hash, and its size in bytes. */
  path: string;
  sha256: string;
  size: number;
  pages: number;
  /** Notes about content that is missing or was simplified. */
  notes: string[];
  standard: Standard;
}

interface Options {
  signal: AbortSignal;
  /** Called with the number of finished chapters. */
  onProgress(done: number, total: number): void;
  limits?: StepLimits;
  part?: PartSize;
  /** The Typst template of the book. */
  template?: URL;
}

/** A typeset part, and its file. */
interface PartFile extends TypesetPart {
  file: string;
  lead: number;
}

/**
 * Generates the book whose source is in a folder. Each step runs in its own process, which is killed if it takes too long or
 * too much memory. A chapter that fails is typeset as plain text, or else is replaced by a note.
 */
export async function typesetBook(folder: string, options: Options): Promise<TypesetBook> {
  const { onProgress, template = TEMPLATE } = options;
  const source = JSON.parse(await readFile(join(folder, FILES.source), 'utf8')) as BookSource;
  await copyFile(template, join(folder, FILES.template));
  onProgress(0, source.pages.length);
  const prepare = (withPictures: boolean) =>
    runStep<null>({ folder, step: 'prepare', withPictures }, options);
  await prepare(true).catch((error: unknown) => {
    // Pictures are the largest input, and the most likely cause of a failure.
    if (error instanceof StepFailed && source.files.length > 0) return prepare(false);
    throw error;
  });
  const plan = JSON.parse(await readFile(join(folder, FILES.plan), 'utf8')) as Plan;
  return new BookTypesetter(folder, source, plan, options).run();
}

/** Typesets a prepared book as a whole, or else in parts, which are then merged. */
class BookTypesetter {
  readonly #folder: string;
  readonly #source: BookSource;
  readonly #plan: Plan;
  readonly #options: Options;
  readonly #notes: string[];
  /** The versions of chapters that could not be typeset as they are. */
  readonly #versions = new Map<PlannedChapter, Version>();

  constructor(folder: string, source: BookSource, plan: Plan, options: Options) {
    this.#folder = folder;
    this.#source = source;
    this.#plan = plan;
    this.#options = options;
    this.#notes = [...plan.notes];
  }

  async run(): Promise<TypesetBook> {
    const { chapters } = this.#plan;
    const pending = partsOf(chapters, this.#options.part ?? DEFAULT_PART_SIZE);
    if (pending.length === 1) {
      const whole = await this.#typeset(chapters, FILES.output, {
        contents: this.#source.pages.length > 1,
        cover: !this.#source.isSingle,
      });
      if (!('problem' in whole)) return this.#finish(whole.pages, whole.standard);
    }
    return this.#merge(await this.#typesetParts(pending));
  }

  async #typesetParts(pending: PlannedChapter[][]): Promise<PartFile[]> {
    const parts: PartFile[] = [];
    let start = 1;
    let done = 0;
    for (let chapters = pending.shift(); chapters; chapters = pending.shift()) {
      const file = `part-${parts.length}.pdf`;
      const [first] = chapters;
      const lead = (first?.level ?? 1) - 1;
      const part = await this.#typeset(chapters, file, { links: 'marks', start, lead });
      if (!('problem' in part)) {
        parts.push({ ...part, file, lead });
        start += part.pages;
        done += chapters.length;
        this.#options.onProgress(done, this.#source.pages.length);
      } else if (chapters.length > 1) {
        // They may be too much together. Halving also finds a chapter that cannot be typeset at all.
        const middle = Math.ceil(chapters.length / 2);
        pending.unshift(chapters.slice(0, middle), chapters.slice(middle));
      } else {
        if (!first) throw new Error(`the book could not be typeset: ${part.problem}`);
        await this.#simplify(first, part.problem);
        pending.unshift(chapters);
      }
    }
    return parts;
  }

  async #typeset(
    chapters: readonly PlannedChapter[],
    output: string,
    more: Partial<BookData>,
    standard: Standard = 'ua-1',
  ): Promise<TypesetPart | Failure> {
    const sheets = sheetsOf(chapters, this.#versions);
    const data = { ...dataOf(this.#source, this.#plan), sheets, ...more };
    const request: TypesetRequest = { data, output, standard, time: this.#source.time };
    try {
      return await this.#step<TypesetPart | Failure>({ step: 'typeset', request });
    } catch (error) {
      this.#options.signal.throwIfAborted();
      if (error instanceof StepFailed) return { problem: error.message };
      throw error;
    }
  }

  /** Replaces a chapter that cannot be typeset by its next simpler version. */
  async #simplify(chapter: PlannedChapter, problem: string): Promise<void> {
    const version = VERSIONS[VERSIONS.indexOf(this.#versions.get(chapter) ?? 'layout') + 1];
    if (version === undefined) throw new Error(`the book could not be typeset: ${problem}`);
    await this.#step<null>({ step: 'simplify', index: chapter.index, version });
    this.#versions.set(chapter, version);
    const outcome = version === 'plain' ? 'shown as plain text' : 'left out';
    this.#notes.push(`${chapter.name}: ${outcome} (${problem.slice(0, 200)})`);
  }

  /** Merges the parts with the cover and the table of contents, which needs the pages of all parts. */
  async #merge(parts: readonly PartFile[]): Promise<TypesetBook> {
    const standard: Standard = parts.every((one) => one.standard === 'ua-1') ? 'ua-1' : 'tagged';
    const frontData: Partial<BookData> = { ...frontOf(this.#source, this.#plan, parts), links: 'marks' };
    const front = hasFront(this.#source)
      ? await this.#typeset([], 'front.pdf', frontData, standard)
      : { pages: 0, standard };
    if ('problem' in front) throw new Error(`the table of contents could not be typeset: ${front.problem}`);
    const request: MergeRequest = {
      parts: [...(front.pages > 0 ? [{ file: 'front.pdf', marks: [], lead: 0 }] : []), ...parts],
      front: front.pages,
      outline: this.#plan.chapters.flatMap(({ id, name, level, headings }) => [
        { place: id, name, level },
        ...headings,
      ]),
      output: FILES.output,
    };
    const { pages } = await this.#step<{ pages: number }>({ step: 'merge', request });
    return this.#finish(pages, front.standard);
  }

  async #finish(pages: number, standard: Standard): Promise<TypesetBook> {
    const path = join(this.#folder, FILES.output);
    const total = this.#source.pages.length;
    this.#options.onProgress(total, total);
    return { path, pages, notes: this.#notes, standard, ...(await hashFile(path)) };
  }

  #step<Result>(message: object): Promise<Result> {
    return runStep<Result>({ folder: this.#folder, ...message }, this.#options);
  }
}

/** Whether a book has a cover or a table of contents. Without either, they would be typeset as an empty page. */
const hasFront = ({ isSingle, pages }: BookSource): boolean => !isSingle || pages.length > 1;

/** The cover and table of contents of a book that is merged from parts. */
function frontOf(source: BookSource, plan: Plan, parts: readonly PartFile[]): Partial<BookData> {
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

const dataOf = (source: BookSource, plan: Plan): BookData => {
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
    texts: source.texts,
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

/** Groups chapters by page: each document starts a new page, together with the part headings directly before it. */
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

/** Splits chapters into parts that can be typeset at once. */
function partsOf(chapters: readonly PlannedChapter[], most: PartSize): PlannedChapter[][] {
  const parts: PlannedChapter[][] = [[]];
  let size = 0;
  for (const chapter of chapters) {
    const last = parts.at(-1) as PlannedChapter[];
    const isFull = last.length >= most.chapters || (last.length > 0 && size + chapter.size > most.size);
    // A part heading stays with its first chapter.
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

/** The hash and size of a file. */
async function hashFile(path: string): Promise<{ sha256: string; size: number }> {
  const digest = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(path)) {
    digest.update(chunk);
    size += chunk.length;
  }
  return { sha256: digest.digest('hex'), size };
}
