import { sep } from 'node:path';

/** Whether a real path is that of a folder, or in it. */
export const contains = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
