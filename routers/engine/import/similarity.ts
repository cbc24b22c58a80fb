/** Estimates the similarity of files like git: by the hashes of their lines, or of chunks of 64 bytes of longer lines. */

const CHUNK = 64;
const LF = 0x0a;
const CR = 0x0d;

/** Chunks that occur in more files than this are ignored, since they say little about where a file came from. */
const MAX_FILES_PER_CHUNK = 16;
/** Number of files that a new file is compared with: those that share the most with it. */
const CANDIDATES = 8;

/** The chunks of a file: their hashes in ascending order, and the number of bytes in the file for each hash. */
export interface Fingerprint {
  hashes: Uint32Array;
  bytes: Uint32Array;
  /** Size of the file in bytes, with CRLF counted as one. */
  size: number;
}

export function fingerprint(content: Uint8Array): Fingerprint {
  const found = new Map<number, number>();
  // FNV-1a.
  let hash = 0x811c9dc5;
  let length = 0;
  for (let at = 0; at < content.length; at++) {
    const byte = content[at] as number;
    if (byte === CR && content[at + 1] === LF) continue;
    hash = Math.imul(hash ^ byte, 0x01000193);
    length++;
    if (length < CHUNK && byte !== LF && at < content.length - 1) continue;
    found.set(hash >>> 0, (found.get(hash >>> 0) ?? 0) + length);
    hash = 0x811c9dc5;
    length = 0;
  }
  const hashes = Uint32Array.from(found.keys()).sort();
  const bytes = hashes.map((chunk) => found.get(chunk) as number);
  return { hashes, bytes, size: bytes.reduce((sum, count) => sum + count, 0) };
}

/** The share of the larger file that the other one contains as well, from 0 to 1. */
function similarityOf(a: Fingerprint, b: Fingerprint): number {
  const size = Math.max(a.size, b.size);
  if (size === 0) return 1;
  let shared = 0;
  for (let left = 0, right = 0; left < a.hashes.length && right < b.hashes.length; ) {
    const difference = (a.hashes[left] as number) - (b.hashes[right] as number);
    if (difference === 0) shared += Math.min(a.bytes[left] as number, b.bytes[right] as number);
    if (difference <= 0) left++;
    if (difference >= 0) right++;
  }
  return shared / size;
}

/** An index of files for finding similar ones; the time depends on the size of the given file, not of the index. */
export interface SimilarFiles {
  add(path: string, file: Fingerprint): void;
  /** Returns the files most similar to this one, with a similarity of at least `from`. */
  find(file: Fingerprint, from: number): { path: string; similarity: number }[];
}

export function createSimilarFiles(): SimilarFiles {
  const files: { path: string; file: Fingerprint }[] = [];
  /** The files with a chunk, by its hash, up to one more than the maximum. */
  const filesByChunk = new Map<number, number[]>();
  return {
    add(path, file) {
      const number = files.push({ path, file }) - 1;
      for (const hash of file.hashes) {
        const known = filesByChunk.get(hash);
        if (!known) filesByChunk.set(hash, [number]);
        else if (known.length <= MAX_FILES_PER_CHUNK) known.push(number);
      }
    },
    find(file, from) {
      const shared = new Map<number, number>();
      for (const [index, hash] of file.hashes.entries()) {
        const having = filesByChunk.get(hash) ?? [];
        if (having.length > MAX_FILES_PER_CHUNK) continue;
        for (const number of having)
          shared.set(number, (shared.get(number) ?? 0) + (file.bytes[index] as number));
      }
      return [...shared]
        .filter(([number]) => canBeSimilar(file.size, files[number]?.file.size as number, from))
        .sort(([a, some], [b, others]) => others - some || a - b)
        .slice(0, CANDIDATES)
        .map(([number]) => files[number] as { path: string; file: Fingerprint })
        .map((other) => ({ path: other.path, similarity: similarityOf(other.file, file) }))
        .filter(({ similarity }) => similarity >= from);
    },
  };
}

/** Whether files of these sizes can be that similar; this also bounds the time of comparing them. */
const canBeSimilar = (a: number, b: number, from: number): boolean => Math.min(a, b) >= from * Math.max(a, b);
