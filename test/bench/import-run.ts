/** A script that imports a folder into a new or existing space, and prints the measurements as JSON. */
import { pino } from 'pino';
import { importSource } from '../../routers/imports/import.operation.ts';
import { openFolder } from '../../routers/installation/folder-source.ts';
import { readConfig } from '../../server/config.ts';
import { toolContext } from '../../server/context.ts';
import { openRuntime } from '../../server/runtime.ts';
import { seedSpaces } from './seed.ts';

const [folder = '', dataDir = '', knownSpace, knownUser] = process.argv.slice(2);
const runtime = await openRuntime(readConfig({ DATA_DIR: dataDir }), {
  role: 'tool',
  logger: pino({ level: 'warn' }, pino.destination(2)),
});
const {
  spaces: [space = ''],
  user,
} =
  knownSpace && knownUser ? { spaces: [knownSpace], user: knownUser } : await seedSpaces(runtime.database, 1);
const started = performance.now();
const outcome = await importSource(toolContext(runtime.database, runtime.services), {
  space,
  author: user,
  source: await openFolder(folder),
});
const seconds = (performance.now() - started) / 1000;
await runtime.close();
process.stdout.write(
  JSON.stringify({
    space,
    user,
    seconds,
    pages: outcome.pages,
    newObjects: outcome.newObjects,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
  }),
);

export interface ImportRun {
  space: string;
  user: string;
  seconds: number;
  pages: number;
  newObjects: number;
  peakMegabytes: number;
}
