/** A script that imports a folder, exports the space into another one, and prints the results as JSON. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { objectReader } from '../../routers/branches/objects.operation.ts';
import { planExport } from '../../routers/engine/export/export.ts';
import { parseSummary, type SummaryEntry } from '../../routers/engine/import/summary.ts';
import { published } from '../../routers/engine/markdown/published/published.ts';
import { getDocument } from '../../routers/engine/store/documents.ts';
import { openSnapshot, type PageNode } from '../../routers/engine/store/snapshot.ts';
import { importSource } from '../../routers/imports/import.operation.ts';
import { createCaller } from '../../routers/index.ts';
import { openFolder } from '../../routers/installation/folder-source.ts';
import { readConfig } from '../../server/config.ts';
import { toolContext } from '../../server/context.ts';
import { openRuntime } from '../../server/runtime.ts';
import { violationsOf } from '../helpers/published-documents.ts';
import { rawNodesOf } from './raw-nodes.ts';
import { seedSpaces } from './seed.ts';

export interface RepositoryRun {
  pages: number;
  files: number;
  differing: string[];
  /** Violations of the published schemas by returned documents, with the number of occurrences. */
  violations: Record<string, number>;
  /** The number of nodes kept as raw Markdown although the schemas have a type for them, by kind. */
  raw: Record<string, number>;
  /** The number of raw nodes of HTML and of blocks for which the schemas have no type, by kind. */
  foreign: Record<string, number>;
  misplaced: number;
  /** The findings about links whose target does exist. */
  unresolved: string[];
  importSeconds: number;
  exportSeconds: number;
  /** The peak memory of this process, without PostgreSQL. */
  importCpuSeconds: number;
  exportCpuSeconds: number;
  /** Peak memory after the import alone, and after both. */
  importMegabytes: number;
  peakMegabytes: number;
}

const [folder = '', dataDir = '', target = ''] = process.argv.slice(2);
const runtime = await openRuntime(readConfig({ DATA_DIR: dataDir }), {
  role: 'tool',
  logger: pino({ level: 'warn' }, pino.destination(2)),
});
const { spaces, user } = await seedSpaces(runtime.database, 1);
const [space = ''] = spaces;
const context = toolContext(runtime.database, runtime.services);

const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
let started = performance.now();
let busy = cpuSeconds();
const { report, pages } = await importSource(context, {
  space,
  author: user,
  source: await openFolder(folder),
});
const importSeconds = (performance.now() - started) / 1000;
const importCpuSeconds = cpuSeconds() - busy;
const importMegabytes = process.resourceUsage().maxRSS / 1024;
started = performance.now();
busy = cpuSeconds();
const { files } = await createCaller(context).installation.exports.writeFolder({ space, folder: target });
const exportSeconds = (performance.now() - started) / 1000;
const exportCpuSeconds = cpuSeconds() - busy;
const peakMegabytes = process.resourceUsage().maxRSS / 1024;

const { root } = await runtime.database.db
  .selectFrom('space')
  .innerJoin('revision', 'revision.id', 'space.revision_id')
  .select('revision.root')
  .where('space.id', '=', space)
  .executeTakeFirstOrThrow();
const reader = objectReader(runtime.database.db);
const plan = await planExport(reader, root);
const snapshot = await openSnapshot(reader, root);
const texts = [...plan.texts, ...plan.contents].map(({ path }) => path);
const isSame = (path: string) =>
  existsSync(join(folder, path)) && readFileSync(join(folder, path)).equals(readFileSync(join(target, path)));

const violations: Record<string, number> = {};
const raw: Record<string, number> = {};
const foreign: Record<string, number> = {};
const count = (counts: Record<string, number>, name: string) => {
  counts[name] = (counts[name] ?? 0) + 1;
};
const contents = [...(await snapshot.allPages()), ...(await snapshot.reusableContents())];
for (const { document } of contents) {
  if (document === undefined) continue;
  const stored = await getDocument(reader, document);
  for (const violation of violationsOf(published(stored))) count(violations, violation);
  for (const { kind, isForeign } of rawNodesOf(stored.nodes)) count(isForeign ? foreign : raw, kind);
}

process.stdout.write(
  JSON.stringify({
    pages,
    files,
    differing: texts.filter((path) => !isSame(path)),
    violations,
    raw,
    foreign,
    misplaced: misplacedEntries(await snapshot.pageTree()),
    unresolved: report
      .filter(({ message }) => /did not become a page|was not imported|without a page/.test(message))
      .map(({ file, line, message }) => `${file}:${line ?? ''} ${message}`),
    importSeconds,
    exportSeconds,
    importCpuSeconds,
    exportCpuSeconds,
    importMegabytes,
    peakMegabytes,
  } satisfies RepositoryRun),
);
await runtime.close();

/** The number of entries whose file exists, but without a page with their label below their parent entry's page. */
function misplacedEntries(tree: readonly PageNode[]): number {
  const summary = join(folder, plan.layout.summary);
  if (!existsSync(summary)) return 0;
  const places = new Map<string, string>();
  const note = (nodes: readonly PageNode[], above: string) => {
    for (const { page, pages: below } of nodes) {
      const place = `${above}/${page.summaryTitle ?? page.title}`;
      places.set(place, page.id);
      note(below, place);
    }
  };
  note(tree, '');
  let misplaced = 0;
  const check = (entries: readonly SummaryEntry[], above: string) => {
    for (const entry of entries) {
      if (entry.kind === 'computed') continue;
      const place = `${above}/${entry.title}`;
      const isFile =
        entry.kind !== 'link' || existsSync(join(dirname(summary), entry.href.replaceAll('%20', ' ')));
      if (isFile && !places.has(place)) misplaced++;
      check(entry.children, place);
    }
  };
  check(parseSummary(readFileSync(summary, 'utf8').replace(/\r\n?/g, '\n'), summary).summary.entries, '');
  return misplaced;
}
