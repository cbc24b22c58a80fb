import { hash } from 'node:crypto';

/** A text file of a source: its text with LF line endings, whether its line endings were CRLF, and its bytes. */
export interface TextFile {
  text: string;
  usesCrlf: boolean;
  bytes: Uint8Array;
}

/** Reads a text file by path, or returns why it cannot be read, as a sentence. */
export type ReadText = (path: string) => Promise<TextFile | { problem: string }>;

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes UTF-8 with or without a byte order mark, and normalizes line endings to LF; `usesCrlf` is true if all of them were
 * CRLF. Undefined if it is not UTF-8, or contains NUL, which marks a binary file as in git and cannot be stored as text.
 */
export function decodeText(bytes: Uint8Array): { text: string; usesCrlf: boolean } | undefined {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return undefined;
  }
  if (text.includes('\0')) return undefined;
  if (!text.includes('\r')) return { text, usesCrlf: false };
  return { text: text.replace(/\r\n?/g, '\n'), usesCrlf: !/(?<!\r)\n|\r(?!\n)/.test(text) };
}

const verbatim = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8 verbatim, with the byte order mark and line endings. */
export const decodeVerbatim = (bytes: Uint8Array): string => verbatim.decode(bytes);

/** The object id of a file in git: the SHA-1, in hex, of a blob object. */
export function gitBlobOid(bytes: Uint8Array): string {
  return hash('sha1', Buffer.concat([Buffer.from(`blob ${bytes.byteLength}\0`), bytes]));
}

/** Converts a text to a single line of well-formed text, as in titles, descriptions and variables. */
export function singleLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}
