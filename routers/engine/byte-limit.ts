const UNITS = [
  ['GB', 1024 ** 3],
  ['MB', 1024 ** 2],
  ['kB', 1024],
] as const;

/** A limit in bytes for messages and descriptions, such as "10 MB": in powers of 1,024, as in the documentation of limits. */
export function byteLimit(bytes: number): string {
  const [unit, size] = UNITS.find(([, least]) => bytes >= least) ?? ['bytes', 1];
  return `${Number((bytes / size).toFixed(1))} ${unit}`;
}
