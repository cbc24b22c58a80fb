import type { Data, Mark } from './document.ts';

/** A part of free-form data that has fields of its own. */
export const isData = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value of free-form data as text; empty for what has none, such as objects, for which `String` may throw. */
export const scalarText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** The marks of an inline without text of its own, which stand in its data. */
export const marksIn = (data: Data | undefined): Mark[] =>
  Array.isArray(data?.marks) ? data.marks.filter(isMark) : [];

const isMark = (value: unknown): value is Mark => isData(value) && typeof value.type === 'string';
