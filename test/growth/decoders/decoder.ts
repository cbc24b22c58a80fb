import type { z } from 'zod';
import type { Make } from '../decoder-texts.ts';

export interface Decoder {
  /** The modules that use it. */
  modules: string[];
  decode: (text: string) => unknown;
  /** Texts of about this length with as much output, or as much work, as possible. */
  hostile: Record<string, Make>;
  /** The maximum number of values and characters in its output: for any text, however short, and per character. */
  always?: number;
  most?: number;
}

/** What a schema makes of a text. */
export const parsed = (schema: z.ZodType) => (text: string) => schema.safeParse(text).data;

/** Decodes the value of a JSON text. */
export const json = (decode: (value: unknown) => unknown) => (text: string) => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return decode(value);
};

/** Decodes a text, or returns the message of the error. */
export const orError = (decode: (text: string) => unknown) => (text: string) => {
  try {
    return decode(text);
  } catch (error) {
    return (error as Error).message;
  }
};
