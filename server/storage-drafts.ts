import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ifPresent } from './embedded-postgres/errors.ts';
import { startOf } from './embedded-postgres/process.ts';

/** No write takes nearly as long, in milliseconds: what is older was left by a process that is gone. */
const LONGEST_WRITE = 60 * 60 * 1000;

/** Makes names for files being written that tell which process writes them. */
export async function draftNamer(): Promise<() => string> {
  const writer = `${await processSpace()}.${process.pid}.${await startKey(process.pid)}`;
  return () => `${writer}.${randomBytes(8).toString('hex')}`;
}

/**
 * Removes what writers that died have left. Of those whose process ids mean something here it is known which live; other
 * machines and containers may share the folder, so what theirs write goes by its age.
 */
export async function removeDeadDrafts(folder: string): Promise<void> {
  const here = await processSpace();
  const names = (await ifPresent(readdir(folder))) ?? [];
  await Promise.all(
    names.map(async (name) => {
      const [space, pid, start] = name.split('.');
      const path = join(folder, name);
      const isDead =
        space === here
          ? (await startKey(Number(pid))) !== start
          : ((await ifPresent(stat(path)))?.mtimeMs ?? 0) < Date.now() - LONGEST_WRITE;
      if (isDead) await rm(path, { force: true });
    }),
  );
}

/** Names the space in which process ids are unique: a boot of a machine, and on Linux one container on it. */
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

/** When a process started, in the form of a name; that of a process that does not run is like no other. */
const startKey = async (pid: number): Promise<string> => shortHash(String(await startOf(pid)));

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);
