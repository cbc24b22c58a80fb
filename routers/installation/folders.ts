import { sep } from 'node:path';

/** Whether a real path is that of a folder, or in it. */
export const contains = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** The code of an error of the file system, such as "ENOENT"; undefined for other errors. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;
