import { codeOf } from '../routers/base/error-code.ts';

/** Resolves to undefined instead of rejecting if the file or process does not exist. */
export async function ifPresent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}

const DISK_PROBLEMS: Record<string, string> = {
  ENOSPC: 'The disk is full',
  EDQUOT: 'The disk quota is used up',
  EROFS: 'The file system is read-only',
};

/** Why nothing can be written to a disk, in plain words; undefined for other errors. */
export const diskProblemOf = (error: unknown): string | undefined => DISK_PROBLEMS[codeOf(error) ?? ''];
