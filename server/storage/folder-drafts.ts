import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { startTimeOf } from '../embedded-postgres/process.ts';
import { ifPresent } from '../system-errors.ts';

/** Longer than any write takes, in milliseconds: older drafts were left by dead processes. */
const MAX_WRITE_TIME = 60 * 60 * 1000;

/** Makes the generator of names for files being written, which identify the writing process. */
export async function draftNamer(): Promise<() => string> {
  const writer = await processName();
  return () => `${writer}.${randomBytes(8).toString('hex')}`;
}

/** A name for this process that no other one has, on any machine or in any container. */
export const processName = async (): Promise<string> =>
  `${await processSpace()}.${process.pid}.${await startHash(process.pid)}`;

/** Whether the process with this name has ended; undefined for one of another machine or container. */
export async function hasEnded(name: string): Promise<boolean | undefined> {
  const [space, pid, start] = name.split('.');
  if (space !== (await processSpace())) return undefined;
  return (await startHash(Number(pid))) !== start;
}

/**
 * Removes the drafts, files or folders, of dead writers. Writers in the same pid namespace are checked by process id; other
 * machines and containers may share the folder, so their drafts are judged by age.
 */
export async function removeDeadDrafts(folder: string): Promise<void> {
  const names = (await ifPresent(readdir(folder))) ?? [];
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const isOld = async () => ((await ifPresent(stat(path)))?.mtimeMs ?? 0) < Date.now() - MAX_WRITE_TIME;
      // guard: pdf-dead-drafts, drafts-live-kept
      if ((await hasEnded(name)) ?? (await isOld())) await rm(path, { recursive: true, force: true });
    }),
  );
}

/** A hash of the namespace in which process ids are unique: a boot of a machine, and on Linux also a container. */
async function processSpace(): Promise<string> {
  const [boot, namespace] =
    process.platform === 'linux'
      ? await Promise.all([
          ifPresent(readFile('/proc/sys/kernel/random/boot_id', 'utf8')),
          ifPresent(readlink('/proc/self/ns/pid')),
        ])
      : [];
  return shortHash(`${hostname()} ${boot} ${namespace}`);
}

/** A hash of the start time of a process, for file names; no running process has that of a dead one. */
const startHash = async (pid: number): Promise<string> => shortHash(String(await startTimeOf(pid)));

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);
