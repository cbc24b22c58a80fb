import { hash } from 'node:crypto';

/** A text file of a source: its text with LF alone, whether its lines ended in CRLF, and its bytes. */
export interface TextFile {
  text: string;
  usesCrlf: boolean;
  bytes: Uint8Array;
}

/** Reads a text file by its path; what stands in the way comes back as a sentence. */
export type ReadText = (path: string) => Promise<TextFile | { problem: string }>;

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes UTF-8 with or without a byte order mark and makes every line end in LF; `usesCrlf` tells that all of them
 * were CRLF. Answers undefined for anything else: a NUL, which nothing that stores text accepts, tells a binary file
 * as it does for git.
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

/** The same text as it is, with its byte order mark and line ends. */
export const decodeVerbatim = (bytes: Uint8Array): string => verbatim.decode(bytes);

/** The name git gives to a file of these bytes: the SHA-1, in hex, of a blob object. */
export function gitBlobOid(bytes: Uint8Array): string {
  return hash('sha1', Buffer.concat([Buffer.from(`blob ${bytes.byteLength}\0`), bytes]));
}

/** One line of well-formed text: what a title, a description or a variable may hold. */
export function singleLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** The number, from 1, of the line in which `needle` first occurs at or after `from`. */
export function lineOf(text: string, needle: string, from = 0): number | undefined {
  const index = text.indexOf(needle, from);
  if (index < 0) return undefined;
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
