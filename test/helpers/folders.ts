import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLine, sendSignal } from '../../server/embedded-postgres/process.ts';
import { hasEnded, processName } from '../../server/storage/folder-drafts.ts';
import { ifPresent } from '../../server/system-errors.ts';

/** The prefix of the name of each run's folder, and the file in it that names the process of the run. */
const RUN = 'colophon-run-';
const OWNER = 'owner';

/**
 * Creates a temporary folder for this run, in which it and its processes create theirs, so that whatever a test leaves
 * behind is removed with the run. The folder of a run that was killed is removed by the next run.
 * @returns a function that ends the run
 */
export default async function openRunFolder(): Promise<() => Promise<void>> {
  const outside = tmpdir();
  await removeDeadRuns(outside);
  const folder = await mkdtemp(join(outside, RUN));
  // Programs that run as other users create their folders in it, too.
  await chmod(folder, 0o755);
  await writeFile(join(folder, OWNER), await processName());
  process.env.TMPDIR = folder;
  return () => removeRun(folder);
}

/** Creates a temporary folder, which is removed at the end of the run. */
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

/** Stops database servers with data below a folder, which killed processes left running. */
export async function endServers(folder: string): Promise<void> {
  const pids = (await ifPresent(readdir('/proc'))) ?? [];
  for (const pid of pids.map(Number).filter((number) => number > 0)) {
    const line = await commandLine(pid);
    const option = line.indexOf('-D');
    if (option > 0 && line[option + 1]?.startsWith(`${folder}/`)) sendSignal(pid, 'SIGQUIT');
  }
}
