import { readFile, rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ifPresent } from '../system-errors.ts';
import { EmbeddedDatabaseError } from './errors.ts';
import { createAtomically, draftOf, removeAbandonedDrafts } from './files.ts';
import { type Account, startTimeOf } from './process.ts';

const WAIT_MS = 120_000;

/**
 * Runs `work` while no other process prepares or starts the same cluster. The lock is a file that names its holder by pid
 * and start time, so the lock of a killed process, even one whose pid is in use again, does not block others.
 * @throws EmbeddedDatabaseError if a live process has held it for two minutes
 */
export async function withStartLock<T>(
  file: string,
  owner: Account | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const mine = `${process.pid} ${await startTimeOf(process.pid)} ${performance.now()}\n`;
  const deadline = performance.now() + WAIT_MS;
  while (!(await createAtomically(file, mine, owner))) {
    const holder = await ifPresent(readFile(file, 'utf8'));
    if (holder === undefined) continue;
    if (!(await isHeldByProcess(holder))) {
      await removeStale(file, holder, owner);
      continue;
    }
    if (performance.now() > deadline) {
      throw new EmbeddedDatabaseError(
        `Process ${holder.split(' ')[0]} has been starting the database for two minutes (${file}). ` +
          'End that process, then try again.',
      );
    }
    await sleep(25);
  }
  try {
    await removeAbandonedDrafts(file);
    return await work();
  } finally {
    if ((await ifPresent(readFile(file, 'utf8'))) === mine) await rm(file, { force: true });
  }
}

async function isHeldByProcess(holder: string): Promise<boolean> {
  const [pid = '', start] = holder.trim().split(' ');
  return (await startTimeOf(Number(pid))) === start;
}

/** Removes a dead holder's file, and restores it if another process has replaced it in the meantime. */
async function removeStale(file: string, dead: string, owner: Account | undefined): Promise<void> {
  const aside = draftOf(file);
  const moved = await ifPresent(rename(file, aside).then(() => true));
  if (!moved) return;
  const content = await readFile(aside, 'utf8');
  if (content !== dead) await createAtomically(file, content, owner);
  await rm(aside, { force: true });
}
