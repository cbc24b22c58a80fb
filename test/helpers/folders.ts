import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ifPresent } from '../../server/embedded-postgres/errors.ts';
import { commandLine, sendSignal } from '../../server/embedded-postgres/process.ts';
import { hasEnded, processName } from '../../server/storage/folder-drafts.ts';

/** The start of the name of each run's folder, and the file in it that names the process of the run. */
const RUN = 'colophon-run-';
const OWNER = 'owner';

/**
 * Gives this run a temporary folder of its own: it and its processes make theirs in there, so that whatever a test leaves
 * behind goes with the run. The folder of a run that was killed goes with the next run.
 * @returns the function that ends the run.
 */
export default async function openRunFolder(): Promise<() => Promise<void>> {
  const outside = tmpdir();
  await removeDeadRuns(outside);
  const folder = await mkdtemp(join(outside, RUN));
  // Programs that run as other users have theirs in there, too.
  await chmod(folder, 0o755);
  await writeFile(join(folder, OWNER), await processName());
  process.env.TMPDIR = folder;
  return () => removeRun(folder);
}

/** Makes a folder for a test, which goes with the run. */
export const makeFolder = (name: string): Promise<string> => mkdtemp(join(tmpdir(), `colophon-${name}-`));

async function removeDeadRuns(outside: string): Promise<void> {
  const runs = (await readdir(outside)).filter((name) => name.startsWith(RUN));
  for (const folder of runs.map((name) => join(outside, name))) {
    const owner = await ifPresent(readFile(join(folder, OWNER), 'utf8'));
    if (owner !== undefined && (await hasEnded(owner))) await removeRun(folder);
  }
}

async function removeRun(folder: string): Promise<void> {
  await endServers(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Ends the database servers below a folder that killed processes left running. */
export async function endServers(folder: string): Promise<void> {
  const pids = (await ifPresent(readdir('/proc'))) ?? [];
  for (const pid of pids.map(Number).filter((number) => number > 0)) {
    const line = await commandLine(pid);
    const option = line.indexOf('-D');
    if (option > 0 && line[option + 1]?.startsWith(`${folder}/`)) sendSignal(pid, 'SIGQUIT');
  }
}
