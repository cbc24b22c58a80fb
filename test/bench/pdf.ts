import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { makeDataDir, stopServers } from './processes.ts';
import { send, start } from './service.ts';

/** Numbers of content pages, with the maximum time in seconds. */
const BOOKS = [
  { pages: 200, seconds: 15 },
  { pages: 2000, seconds: Number.POSITIVE_INFINITY },
];

/** Maximum memory of a typesetting process, in megabytes. */
const MEMORY = 1500;

/** Maximum slowdown of concurrent reads, at the 99th percentile. */
const READS = 3;

/** Milliseconds between samples. */
const INTERVAL = 250;

/** A typical page of a guide: some text, a list, code, a table, a hint, and links to other pages. */
const markdown = (
  number: number,
) => `Part ${number} describes how the service is set up, and what to do if it fails. ${'Each step says what it needs. '.repeat(12)}

## Before you begin

* Read [the page before](#next) and the notes.
* Have an account with the role of an editor.

\`\`\`ts
export const answer = async (): Promise<number> => ${number};
// ${'comment '.repeat(10)}
\`\`\`

{% hint style="info" %}
This takes about ${number % 60} minutes.
{% endhint %}

## Next

| Name | Type | What it does |
| --- | --- | --- |
${Array.from({ length: 12 }, (_, row) => `| \`field_${row}\` | string | ${'Says something. '.repeat((row % 4) + 1)} |`).join('\n')}

${'More text follows, with **bold** words and `code` in it, so that the page is as long as pages are. '.repeat(15)}
`;

/** The resources that typesetting processes have used so far. */
interface Usage {
  /** The peak memory of a single process, in megabytes. */
  memory: number;
  /** CPU time in seconds, by process. */
  processors: Map<string, number>;
}

/** Ticks per second in the CPU times of processes (Linux). */
const TICKS = 100;

async function watch(usage: Usage): Promise<void> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
    if (!(await read('cmdline')).includes('typesetter-main')) continue;
    const peak = /VmHWM:\s+(\d+) kB/.exec(await read('status'))?.[1];
    usage.memory = Math.max(usage.memory, Number(peak ?? 0) / 1024);
    const [user, system] = (await read('stat'))
      .replace(/^.*\) /s, '')
      .split(' ')
      .slice(11, 13);
    if (user !== undefined) usage.processors.set(pid, (Number(user) + Number(system)) / TICKS);
  }
}

/** A space to export as PDF, and the maximum time in seconds. */
interface Book {
  title: string;
  seconds: number;
  /** Creates and fills the space. @returns its id */
  fill(url: string, organization: string, dataDir: string): Promise<string>;
}

const MADE: Book[] = BOOKS.map(({ pages, seconds }) => ({
  title: `${pages} pages`,
  seconds,
  async fill(url, organization) {
    const { id } = await send(url, 'POST', `/orgs/${organization}/spaces`, { title: `${pages} pages` });
    for (let from = 0; from < pages; from += 50)
      await send(url, 'POST', `/spaces/${id}/content`, {
        changes: Array.from({ length: Math.min(50, pages - from) }, (_, index) => ({
          operation: 'insert_page',
          title: `Page ${from + index + 1}`,
          document: { markdown: markdown(from + index + 1) },
        })),
      });
    return id;
  },
}));

/** A space imported from a documentation repository. */
const imported = (folder: string): Book => ({
  title: basename(folder),
  seconds: Number.POSITIVE_INFINITY,
  async fill(_, __, dataDir) {
    const args = ['server/cli/main.ts', 'import', '--json', '--space', basename(folder), folder];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { DATA_DIR: dataDir, PATH: process.env.PATH },
      maxBuffer: 1e8,
      // The findings about content that was left out do not matter here.
    }).catch((error: { stdout: string }) => error);
    return JSON.parse(stdout).space;
  },
});

const percentile = (times: readonly number[]): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0;

/** Measures the time and memory of PDFs, and how much they slow down concurrent reads. */
export async function benchPdf(folders: readonly string[] = []): Promise<void> {
  const dataDir = await makeDataDir();
  const { url } = await start(dataDir);
  const { items } = await send(url, 'GET', '/orgs');
  const organization = items[0].id;
  const timed = async (times: number[]) => {
    const started = performance.now();
    await send(url, 'GET', `/orgs/${organization}`);
    times.push(performance.now() - started);
  };
  for (const { title, seconds, fill } of folders.length > 0 ? folders.map(imported) : MADE) {
    const id = await fill(url, organization, dataDir);
    const usual: number[] = [];
    for (let read = 0; read < 200; read++) await timed(usual);
    const beside: number[] = [];
    const usage: Usage = { memory: 0, processors: new Map() };
    const started = performance.now();
    let pdf = await send(url, 'GET', `/spaces/${id}/pdf`);
    while (pdf.state === 'pending' || pdf.state === 'progress') {
      for (let read = 0; read < 20; read++) await timed(beside);
      await watch(usage);
      await sleep(INTERVAL);
      pdf = await send(url, 'GET', `/spaces/${id}/pdf`);
    }
    const took = (performance.now() - started) / 1000;
    const ratio = percentile(beside) / percentile(usual);
    const verdict = (isMet: boolean) => (isMet ? 'met' : 'MISSED');
    console.log(
      `${title}: ${pdf.progress?.total} pages of content, ${pdf.pages} PDF pages, ${(pdf.size / 1e6).toFixed(1)} MB: ${took.toFixed(1)} s ` +
        `(${Number.isFinite(seconds) ? `below ${seconds} s: ${verdict(took < seconds)}` : pdf.state})`,
    );
    const processors = [...usage.processors.values()].reduce((sum, one) => sum + one, 0);
    console.log(
      `  CPU time: ${processors.toFixed(1)} s, without the last moments of processes that ended between samples`,
    );
    console.log(
      `  memory: ${usage.memory.toFixed(0)} MB (below ${MEMORY} MB: ${verdict(usage.memory < MEMORY)})`,
    );
    console.log(
      `  p99 of reads: ${percentile(usual).toFixed(1)} ms usually, ${percentile(beside).toFixed(1)} ms meanwhile ` +
        `(below ${READS} times: ${verdict(ratio < READS)})`,
    );
  }
  await stopServers();
  await rm(dataDir, { recursive: true, force: true });
}
