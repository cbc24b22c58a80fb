import { randomBytes } from 'node:crypto';
import { chmod, lchown, link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../../routers/base/error-code.ts';
import { type Account, isAlive, run } from './process.ts';

/**
 * Creates a directory and its parents, accessible to every user whatever the umask; existing ones are left as they are.
 */
export async function makeOpenDirectory(directory: string): Promise<void> {
  const first = await mkdir(directory, { recursive: true });
  if (first === undefined) return;
  for (let made = path.resolve(directory); made.length >= first.length; made = path.dirname(made)) {
    await chmod(made, 0o755);
  }
}

/** The owner of a file or directory; undefined if that is root. */
export async function ordinaryOwner(file: string): Promise<Account | undefined> {
  const { uid, gid } = await stat(file);
  return uid === 0 ? undefined : { uid, gid };
}

/** Creates a directory that only `account` may enter, unless it exists. */
export async function makePrivateDirectory(directory: string, account: Account | undefined): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    throw error;
  }
  if (account) await lchown(directory, account.uid, account.gid);
}

/** Whether `account` can enter the directory; tested by trying, because modes do not cover ACLs and mounts. */
export async function canEnter(directory: string, account: Account | undefined): Promise<boolean> {
  return (await run('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], { account })).code === 0;
}

/** A temporary name next to `file` that tells which process uses it: `<file>.<pid>-<12 hexadecimal digits>`. */
export const draftOf = (file: string): string => `${file}.${process.pid}-${randomBytes(6).toString('hex')}`;

/** Removes the drafts next to `file` that killed processes left behind. */
export async function removeAbandonedDrafts(file: string): Promise<void> {
  const { dir, base } = path.parse(file);
  const abandoned = (await readdir(dir)).filter((entry) => {
    const pid = /\.(\d+)-[0-9a-f]{12}$/.exec(entry)?.[1];
    return pid !== undefined && entry.startsWith(`${base}.`) && !isAlive(Number(pid));
  });
  await Promise.all(abandoned.map((entry) => rm(path.join(dir, entry), { force: true })));
}

/**
 * Writes a new private file atomically.
 * @returns false if the file already exists, which is then left as it is
 */
export async function createAtomically(
  file: string,
  content: string,
  owner: Account | undefined,
): Promise<boolean> {
  const draft = draftOf(file);
  try {
    await writeFile(draft, content, { mode: 0o600, flag: 'wx', flush: true });
    if (owner) await lchown(draft, owner.uid, owner.gid);
    await link(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** The end of a text file, at most `limit` bytes after `offset`. */
export async function tailOf(file: string, offset: number, limit = 2000): Promise<string> {
  const written = (await readFile(file)).subarray(offset);
  return written.subarray(-limit).toString('utf8').trim();
}
