import type { Data } from './document.ts';

/** A part of free-form data that has fields of its own. */
export const isData = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value of free-form data as text; empty for what has none, such as objects, for which `String` may throw. */
export const scalarText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
