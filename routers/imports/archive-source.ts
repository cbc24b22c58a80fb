import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { byteLimit } from '../engine/byte-limit.ts';
import {
  type DocsSource,
  IMPORT_LIMITS,
  ImportError,
  isIgnoredName,
  type SourceEntry,
} from '../engine/import/source.ts';

/** The most bytes of all files in an archive, by its own declaration; no file may turn out larger than declared. */
const MAX_UNPACKED = 1024 ** 3;

/** The file type in the upper half of the attributes that Unix tools write. */
const FILE_TYPE = 0o170000;
const SYMBOLIC_LINK = 0o120000;

/**
 * Opens a zip archive as a source of documentation. A single folder at its top, as archives of repositories have, is omitted
 * from all paths. Encrypted files, links and duplicates are listed with a problem.
 * @param name identifies the source from one import to the next
 * @throws ImportError `unreadable`, `too_many_files` or `too_large`
 */
export async function openArchive(bytes: Buffer, name: string): Promise<DocsSource> {
  const { zip, entries } = await readEntries(bytes);
  const paths = entries.map(({ fileName }) => fileName);
  const root = soleFolder(paths);
  const files = new Map<string, Entry>();
  const listed: SourceEntry[] = [];
  for (const entry of entries) {
    const path = entry.fileName.slice(root.length);
    if (path.split('/').some(isIgnoredName)) continue;
    const problem = files.has(path) ? 'The archive has another file of this name.' : problemOf(entry);
    const size = entry.uncompressedSize;
    if (problem === undefined) listed.push({ path, size });
    else listed.push({ path: path.replaceAll('\0', '\ufffd'), size, problem });
    if (problem === undefined) files.set(path, entry);
  }
  listed.sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    location: `zip/${name}`,
    async *list() {
      yield* listed;
    },
    async read(path) {
      const entry = files.get(path);
      if (!entry) throw new ImportError('unreadable', `${path} is not in the archive.`);
      let unpacked: Buffer;
      try {
        unpacked = await buffer(await zip.openReadStreamPromise(entry));
      } catch (error) {
        throw new ImportError('damaged', `${path} cannot be unpacked (${(error as Error).message}).`, {
          cause: error,
        });
      }
      // guard: archive-checksum
      if (crc32(unpacked) !== entry.crc32)
        throw new ImportError('damaged', `${path} is damaged: it differs from its checksum in the archive.`);
      return unpacked;
    },
  };
}

/** All files of an archive, without those that the macOS Finder adds. */
async function readEntries(bytes: Buffer): Promise<{ zip: ZipFile; entries: Entry[] }> {
  const entries: Entry[] = [];
  let unpacked = 0;
  try {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true });
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/') || entry.fileName.startsWith('__MACOSX/')) continue;
      unpacked += entry.uncompressedSize;
      if (entries.push(entry) > IMPORT_LIMITS.files)
        throw new ImportError('too_many_files', `The archive has more than ${IMPORT_LIMITS.files} files.`);
      if (unpacked > MAX_UNPACKED)
        throw new ImportError(
          'too_large',
          `The files in the archive have more than ${byteLimit(MAX_UNPACKED)}.`,
        );
    }
    return { zip, entries };
  } catch (error) {
    if (error instanceof ImportError) throw error;
    throw new ImportError('unreadable', `The archive cannot be read (${(error as Error).message}).`, {
      cause: error,
    });
  }
}

/** The only folder at the top, with its slash; empty if there are several, or files next to it. */
function soleFolder(paths: readonly string[]): string {
  const [first = ''] = paths;
  const folder = first.slice(0, first.indexOf('/') + 1);
  return paths.every((path) => path.startsWith(folder)) ? folder : '';
}

function problemOf(entry: Entry): string | undefined {
  if (entry.fileName.includes('\0')) return 'The name of this file contains a NUL character.';
  if (entry.isEncrypted()) return 'This file is encrypted.';
  const isLink = ((entry.externalFileAttributes >>> 16) & FILE_TYPE) === SYMBOLIC_LINK;
  return isLink ? 'This is a symbolic link and was not followed.' : undefined;
}
