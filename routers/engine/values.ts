/** Helpers for JSON values of unknown shape. */

/** The fields of an object, by name. */
export type Fields = Record<string, unknown>;

/** Whether a value is an object with fields: neither null nor an array. */
export const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of a value; none if it is not an object. */
export const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});

/** A copy without the undefined fields of the object itself; nested objects stay as they are. */
export const withoutUndefined = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
