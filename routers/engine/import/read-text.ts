import { byteLimit } from '../byte-limit.ts';
import { type DocsSource, ImportError, type ImportLimits, type SourceEntry } from './source.ts';
import { decodeText, type TextFile } from './text.ts';

/** Reads and decodes a text file of a source, or returns why it cannot be read, as a sentence. */
export async function readText(
  source: DocsSource,
  entry: SourceEntry | undefined,
  path: string,
  limits: ImportLimits,
): Promise<TextFile | { problem: string }> {
  if (entry?.problem !== undefined) return { problem: entry.problem };
  if (entry && entry.size > limits.textBytes)
    return { problem: `This file is larger than ${byteLimit(limits.textBytes)} and was not read.` };
  let bytes: Uint8Array;
  try {
    bytes = await source.read(path);
  } catch (error) {
    // What else a damaged source contains cannot be trusted: pages could seem to have been deleted.
    if (error instanceof ImportError && error.reason !== 'damaged') return { problem: error.message };
    throw error;
  }
  if (bytes.byteLength > limits.textBytes)
    return { problem: `This file is larger than ${byteLimit(limits.textBytes)} and was not read.` };
  const decoded = decodeText(bytes);
  if (decoded === undefined) return { problem: 'This file is not UTF-8 text and was not read.' };
  return { ...decoded, bytes };
}
