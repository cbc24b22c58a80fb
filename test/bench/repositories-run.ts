/** Imports a folder and exports the space into another, as a process of its own, and prints what came of it as JSON. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { objectReader } from '../../routers/branches/objects.operation.ts';
import type { BlockNode } from '../../routers/engine/document/document.ts';
import { planExport } from '../../routers/engine/export/export.ts';
import { parseSummary, type SummaryEntry } from '../../routers/engine/import/summary.ts';
import { getDocument } from '../../routers/engine/store/documents.ts';
import { openSnapshot, type PageNode } from '../../routers/engine/store/snapshot.ts';
import { importSource } from '../../routers/imports/import.operation.ts';
import { createCaller } from '../../routers/index.ts';
import { openFolder } from '../../routers/installation/folder-source.ts';
import { readConfig } from '../../server/config.ts';
import { toolContext } from '../../server/context.ts';
import { openRuntime } from '../../server/runtime.ts';
import { seedSpaces } from './seed.ts';

export interface RepositoryRun {
  pages: number;
  files: number;
  differing: string[];
  /** The number of nodes that are kept as Markdown, by how they begin. */
  unread: Record<string, number>;
  misplaced: number;
  unresolved: number;
  importSeconds: number;
  exportSeconds: number;
  /** Of the import alone, and of both. */
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

let started = performance.now();
const { report, pages } = await importSource(context, {
  space,
  author: user,
  source: await openFolder(folder),
});
const importSeconds = (performance.now() - started) / 1000;
const importMegabytes = process.resourceUsage().maxRSS / 1024;
started = performance.now();
const { files } = await createCaller(context).installation.exports.writeFolder({ space, folder: target });
const exportSeconds = (performance.now() - started) / 1000;
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

const unread: Record<string, number> = {};
const count = (nodes: readonly BlockNode[]): void => {
  for (const node of nodes) {
    if (node.object === 'text') continue;
    if (node.type === 'markdown') {
      const text = String(node.data?.markdown ?? '').trimStart();
      const kind = /^(?:\{%-? *\w+|<!--|<\/?\w+|\[\^|\[[^\]]*\]:|\|)/.exec(text)?.[0] ?? text.slice(0, 12);
      unread[kind] = (unread[kind] ?? 0) + 1;
    }
    count(node.nodes ?? []);
    for (const fragment of node.fragments ?? []) count(fragment.nodes);
  }
};
for (const { document } of await snapshot.allPages())
  if (document !== undefined) count((await getDocument(reader, document)).nodes);

process.stdout.write(
  JSON.stringify({
    pages,
    files,
    differing: texts.filter((path) => !isSame(path)),
    unread,
    misplaced: misplacedEntries(await snapshot.pageTree()),
    unresolved: report.filter(({ message }) => /did not become a page|was not imported/.test(message)).length,
    importSeconds,
    exportSeconds,
    importMegabytes,
    peakMegabytes,
  } satisfies RepositoryRun),
);
await runtime.close();

/** How many entries whose file exists have no page with their label below the page of the entry above. */
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
