import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import {
  type BookData,
  type Failure,
  FILES,
  type Plan,
  type PlannedChapter,
  type Setting,
  type Source,
} from './files.ts';
import type { MergeOrder } from './merge.ts';
import type { TypesetOrder } from './typeset.ts';

/** Chapters, and characters of them as JSON, that are set at once. */
interface PartSize {
  chapters: number;
  size: number;
}

interface PartSizes {
  /** Of a book as a whole, which can then be marked up for assistive technology. */
  whole: PartSize;
  /** Of a part of one that would take too much memory as a whole. */
  part: PartSize;
}

const SIZES: PartSizes = {
  whole: { chapters: 200, size: 3_000_000 },
  part: { chapters: 100, size: 3_000_000 },
};

const TEMPLATE = new URL('./template.typ', import.meta.url);

interface StepLimits {
  /** Bytes of memory of the process. */
  memory: number;
  /** Milliseconds of one step. */
  time: number;
}

const LIMITS: StepLimits = { memory: 1.4e9, time: 180_000 };

/** How often the memory of a step is looked at, in milliseconds. */
const WATCH = 100;

/** A step that was killed, or failed on its own; what it was working on is to blame until a smaller part of it works. */
class StepFailed extends Error {}

/** A step whose process ended without a word: something else may have killed it. */
class StepCrashed extends StepFailed {}

export interface TypesetBook {
  /** Path of the file, its hash, and its bytes. */
  path: string;
  sha256: string;
  size: number;
  pages: number;
  /** What is missing, or was simplified. */
  notes: string[];
  standard: Setting['standard'];
}

interface Options {
  signal: AbortSignal;
  /** Chapters that are done. */
  onProgress(done: number, total: number): void;
  limits?: StepLimits;
  sizes?: PartSizes;
  /** The look of the book. */
  template?: URL;
}

/**
 * Makes the book whose source is in a folder. Each step runs in a process of its own, which is killed if it takes too
 * long or too much memory; a chapter that fails is set as plain text, or is left out, with a note in its place.
 */
export async function typesetBook(folder: string, options: Options): Promise<TypesetBook> {
  const { signal, onProgress, sizes = SIZES, template = TEMPLATE } = options;
  /** Runs a step, twice if its process crashes. */
  const step = async <Result>(order: object): Promise<Result> => {
    try {
      return await runStep<Result>({ folder, ...order }, options);
    } catch (error) {
      if (!(error instanceof StepCrashed)) throw error;
      return runStep<Result>({ folder, ...order }, options);
    }
  };
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
  /** Which version of each chapter is set: 0 is all that it is. */
  const versions = new Map<PlannedChapter, number>();

  const order = (
    chapters: readonly PlannedChapter[],
    more: Partial<BookData>,
    output: string,
  ): TypesetOrder => ({
    data: { ...dataOf(source, plan), sheets: sheetsOf(chapters, versions), ...more },
    output,
    isTagged: more.links !== 'marks',
    time: source.time,
  });

  /** Sets chapters; what fails is looked for by halves, and simplified. */
  const set = async (
    chapters: readonly PlannedChapter[],
    more: Partial<BookData>,
    output: string,
    first?: Setting | Failure,
  ): Promise<Setting> => {
    let result = first;
    for (;;) {
      result ??= await attempt(order(chapters, more, output));
      if (!('problem' in result)) return result;
      signal.throwIfAborted();
      await simplify(chapters, result.problem);
      result = undefined;
    }
  };

  const attempt = (typesetting: TypesetOrder): Promise<Setting | Failure> =>
    step<Setting | Failure>({ step: 'typeset', order: typesetting }).catch((error: unknown) => {
      if (error instanceof StepFailed) return { problem: error.message };
      throw error;
    });

  /** Finds the chapters that cannot be set, and makes each simpler. */
  const simplify = async (chapters: readonly PlannedChapter[], problem: string): Promise<void> => {
    const [only] = chapters;
    if (chapters.length === 1 && only) {
      const version = (versions.get(only) ?? 0) + 1;
      if (version > 2) throw new Error(`the book could not be set: ${problem}`);
      versions.set(only, version);
      notes.push(
        `${only.name}: ${version === 1 ? 'set as plain text' : 'left out'} (${problem.slice(0, 200)})`,
      );
      return;
    }
    let isFound = false;
    const middle = Math.ceil(chapters.length / 2);
    for (const half of [chapters.slice(0, middle), chapters.slice(middle)]) {
      for (;;) {
        const result = await attempt(
          order(half, { links: 'marks', contents: false, cover: false }, 'tried.pdf'),
        );
        signal.throwIfAborted();
        if (!('problem' in result)) break;
        isFound = true;
        await simplify(half, result.problem);
      }
    }
    // Each half can be set, but not both: they are too much together.
    if (!isFound) throw new Error(`the book could not be set: ${problem}`);
  };

  const finish = async (pages: number, standard: Setting['standard']): Promise<TypesetBook> => {
    const path = join(folder, FILES.output);
    return { path, pages, notes, standard, ...(await measure(path)) };
  };

  const size = plan.chapters.reduce((sum, chapter) => sum + chapter.size, 0);
  const parts = partsOf(plan.chapters, sizes.part);
  const whole = { contents: total > 1, cover: !source.isSingle };
  const isSmall = plan.chapters.length <= sizes.whole.chapters && size <= sizes.whole.size;
  const tried = isSmall ? await attempt(order(plan.chapters, whole, FILES.output)) : undefined;
  if (parts.length === 1 || (tried && !('problem' in tried))) {
    const setting = await set(plan.chapters, whole, FILES.output, tried);
    onProgress(total, total);
    return finish(setting.pages, setting.standard);
  }

  const settings: (Setting & { file: string; start: number })[] = [];
  let start = 1;
  let done = 0;
  for (const [index, chapters] of parts.entries()) {
    const file = `part-${index}.pdf`;
    const setting = await set(chapters, { links: 'marks', contents: false, cover: false, start }, file);
    settings.push({ ...setting, file, start });
    start += setting.pages;
    done += chapters.length;
    onProgress(done, total);
  }
  const pageOf = new Map(
    settings.flatMap(({ marks, start: first }) =>
      marks.map(({ place, page }) => [place, first + page - 1] as const),
    ),
  );
  const entries = plan.chapters.flatMap(({ id, level, name }) =>
    level <= 3 && pageOf.has(id) ? [{ to: id, level, name, page: String(pageOf.get(id)) }] : [],
  );
  const front = await set([], { links: 'marks', contents: true, cover: true, entries }, 'front.pdf');
  const merging: MergeOrder = {
    parts: [
      { file: 'front.pdf', marks: front.marks },
      ...settings.map(({ file, marks }) => ({ file, marks })),
    ],
    outline: plan.chapters.flatMap(({ id, name, level, headings }) => [
      { place: id, name, level },
      ...headings,
    ]),
    output: FILES.output,
    title: source.title,
    author: source.author,
    language: source.language ?? 'en',
    time: source.time,
  };
  const { pages } = await step<{ pages: number }>({ step: 'merge', order: merging });
  return finish(pages, 'plain');
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
    sheets: [],
  };
};

/** Each document begins a page, with the parts above it that it is the first of. */
function sheetsOf(
  chapters: readonly PlannedChapter[],
  versions: ReadonlyMap<PlannedChapter, number>,
): string[][] {
  const sheets: string[][] = [];
  let open: string[] = [];
  for (const chapter of chapters) {
    open.push(chapter.files[versions.get(chapter) ?? 0] as string);
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

type Message = { type: 'done'; result: unknown } | { type: 'failed'; error: string };

/** Runs one step in a process that gets neither secrets nor the network from this one, and little of the processors. */
function runStep<Result>(order: object, { signal, limits = LIMITS }: Options): Promise<Result> {
  signal.throwIfAborted();
  const child = fork(new URL('./typesetter-main.ts', import.meta.url), {
    execArgv: ['--max-old-space-size=1000'],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  return new Promise<Result>((resolve, reject) => {
    let cause: string | undefined;
    const end = (reason: string) => {
      cause = reason;
      child.kill('SIGKILL');
    };
    const abort = () => end('stopped');
    signal.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(() => end('takes too long'), limits.time);
    const watch = setInterval(() => {
      void memoryOf(child.pid).then((bytes) => {
        if (bytes > limits.memory) end('takes too much memory');
      });
    }, WATCH);
    let outcome: Message | undefined;
    child.on('message', (sent) => {
      outcome = sent as Message;
    });
    child.on('error', (error) => {
      cause = error.message;
    });
    child.once('close', () => {
      clearTimeout(timer);
      clearInterval(watch);
      signal.removeEventListener('abort', abort);
      if (outcome?.type === 'done') resolve(outcome.result as Result);
      else if (signal.aborted) reject(signal.reason);
      else if (outcome || cause !== undefined) reject(new StepFailed(outcome?.error ?? cause));
      else reject(new StepCrashed('the process ended'));
    });
    child.send(order, () => undefined);
  });
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

const PAGE_SIZE = 4096;

/** Bytes of memory that a process has; 0 where the system does not say. */
async function memoryOf(pid: number | undefined): Promise<number> {
  try {
    const text = await readFile(`/proc/${pid}/statm`, 'utf8');
    return Number(text.split(' ')[1]) * PAGE_SIZE;
  } catch {
    return 0;
  }
}
