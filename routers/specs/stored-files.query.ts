import type { FileStorage } from '../base/ports.ts';

/** The bytes of a stored file; undefined if there are more than `limit`. */
export async function readBytes(
  storage: FileStorage,
  sha256: string,
  limit: number,
): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of await storage.read(sha256)) {
    size += (chunk as Buffer).byteLength;
    if (size > limit) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
