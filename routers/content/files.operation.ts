import type { Services } from '../base/context.ts';
import { byteLimit } from '../engine/byte-limit.ts';
import type { Batch } from '../engine/edit/batch.ts';
import { changeError } from '../engine/edit/change-error.ts';
import type { EditChange, InsertFile } from '../engine/edit/changes.ts';
import type { StoredFile } from '../engine/edit/files.ts';
import { contentTypeFor, decodeBase64, describeFile, FILE_LIMIT } from '../engine/edit/files.ts';
import { createFileFetcher, type FetchFile } from './file-urls.ts';
import { verifyUploadToken } from './uploads.ts';

/**
 * Stores the bytes of inserted files, one after another, as each may be large. Files that end up unreferenced are
 * garbage-collected.
 */
export async function storeFiles(
  services: Services,
  space: string,
  changes: readonly EditChange[],
): Promise<Batch['files']> {
  // guard: url-edit-bytes
  const fetchFile = createFileFetcher(services.outbound);
  const files = new Map<number, StoredFile[]>();
  for (const [index, change] of changes.entries()) {
    if (change.operation !== 'insert_files') continue;
    const stored: StoredFile[] = [];
    for (const [place, file] of change.files.entries()) {
      stored.push(await storeFile(services, fetchFile, space, file, `changes.${index}.files.${place}`));
    }
    files.set(index, stored);
  }
  return files;
}

async function storeFile(
  { signer, storage }: Services,
  fetchFile: FetchFile,
  space: string,
  { name, url, base64 = '', upload }: InsertFile,
  path: string,
): Promise<StoredFile> {
  if (upload !== undefined) {
    const uploaded = verifyUploadToken(signer, upload, space, Date.now());
    if (!uploaded)
      throw changeError('invalid', `${path}.upload`, 'There is no such upload, or it has expired.');
    const { sha256, size, dimensions, contentType } = uploaded;
    const type = contentTypeFor(name, contentType);
    return { name, contentType: type, size, sha256, ...(dimensions && { dimensions }) };
  }
  let bytes: Uint8Array | undefined;
  let declaredType: string | undefined;
  if (url === undefined) {
    bytes = await decodeBase64(base64);
    if (!bytes) throw changeError('invalid', `${path}.base64`, 'It is not valid base64.');
    if (bytes.byteLength > FILE_LIMIT)
      throw changeError('invalid', `${path}.base64`, `A file can have at most ${byteLimit(FILE_LIMIT)}.`);
  } else {
    const response = await fetchFile(url);
    if ('problem' in response) throw changeError('invalid', `${path}.url`, response.problem);
    bytes = response.bytes;
    declaredType = response.contentType;
  }
  const file = await describeFile(name, bytes, declaredType);
  await storage.put(file.sha256, bytes);
  return file;
}
