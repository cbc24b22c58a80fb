/** Adds the files of a book to its draft: pictures of the space and of the web, and OpenAPI documents. */

import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Context, Services } from '../base/context.ts';
import type { BookDraft } from '../base/ports.ts';
import type { ContentRef } from '../engine/document/document.ts';
import { specOf } from '../engine/document/refs.ts';
import { DomainError } from '../engine/errors.ts';
import type { PdfTexts } from '../engine/pdf/languages/texts.ts';
import { refKey, type Target } from '../engine/pdf/targets.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { readShownDocument } from '../specs/shown-documents.query.ts';
import { findSpecVersions } from '../specs/versions.query.ts';

/** The maximum of bytes of pictures in one PDF; further pictures are replaced by a note. */
const MAX_PICTURES = 500_000_000;

/** The maximum of bytes of one picture. */
const MAX_PICTURE = 30_000_000;

/** Limits for the pictures of one PDF that are fetched from the web; `time` in milliseconds, sizes in bytes. */
const FETCH_LIMITS = { count: 300, size: 10_000_000, totalSize: 100_000_000, concurrency: 4, time: 60_000 };

/** The maximum of bytes of OpenAPI documents in one PDF; operations of further documents are shown by name. */
const MAX_SPECS = 50_000_000;

/** The maximum number of files whose OpenAPI documents are read for one PDF, as each may take seconds to parse. */
const MAX_SPEC_FILES = 50;

interface References {
  refs: ReadonlyMap<string, ContentRef>;
  /** The keys of references to files that contain OpenAPI documents. */
  specFiles: ReadonlySet<string>;
  /** Updated with what is added. */
  targets: Map<string, Target>;
  pictureUrls: ReadonlySet<string>;
  texts: PdfTexts;
}

/** Adds the files that the references need. */
export async function addFiles(
  context: Pick<Context, 'db' | 'services'> & { organization: string; engine: Engine },
  references: References,
  draft: BookDraft,
): Promise<void> {
  const { services } = context;
  await addPictures(services, references.targets, draft);
  await addSpecs(context, references, draft);
  await fetchPictures(services, references, draft);
}

/** Adds the files that are pictures; all others become links. */
async function addPictures(
  { storage }: Pick<Services, 'storage'>,
  targets: ReadonlyMap<string, Target>,
  draft: BookDraft,
): Promise<void> {
  let remaining = MAX_PICTURES;
  const added = new Set<string>();
  for (const { file, title = '', size = 0 } of targets.values()) {
    if (file === undefined || added.has(file) || !PICTURE.test(title)) continue;
    added.add(file);
    if (size > MAX_PICTURE || size > remaining || (await storage.size(file)) === undefined) continue;
    remaining -= size;
    await draft.addFile(file, await storage.read(file));
  }
}

const PICTURE = /\.(?:png|jpe?g|gif|webp|svg|avif|tiff?|bmp|heic)$/i;

/** Adds the OpenAPI documents that contain the referenced operations. */
async function addSpecs(
  { db, services: { storage }, organization, engine }: Parameters<typeof addFiles>[0],
  { refs, specFiles, targets }: References,
  draft: BookDraft,
): Promise<void> {
  const named = [...refs.values()].filter((ref) => ref.kind === 'openapi');
  const versions = await findSpecVersions(db, organization, named.map(specOf));
  let remaining = MAX_SPECS;
  const added = new Set<string>();
  for (const [index, ref] of named.entries()) {
    const found = versions[index];
    if (!found) continue;
    const { document: spec } = found.version;
    const key = refKey(ref);
    const target = { ...targets.get(key), title: found.spec.slug };
    if (!added.has(spec)) {
      const size = await storage.size(spec);
      if (size !== undefined && size <= remaining) {
        remaining -= size;
        added.add(spec);
        await draft.addFile(spec, await storage.read(spec));
      }
    }
    targets.set(key, added.has(spec) ? { ...target, spec } : target);
  }
  for (const key of [...specFiles].slice(0, MAX_SPEC_FILES)) {
    const target = targets.get(key);
    const json =
      target?.file === undefined ? null : await readShownDocument({ storage, engine }, target.file);
    if (json === null) continue;
    const bytes = Buffer.from(json);
    const spec = hash('sha256', bytes);
    if (!added.has(spec)) {
      if (bytes.length > remaining) continue;
      remaining -= bytes.length;
      added.add(spec);
      await draft.addFile(spec, Readable.from([bytes]));
    }
    targets.set(key, { ...target, spec });
  }
}

/** Fetches pictures from the web, a few at a time. */
async function fetchPictures(
  { outbound }: Pick<Services, 'outbound'>,
  { targets, pictureUrls, texts }: References,
  draft: BookDraft,
): Promise<void> {
  const signal = AbortSignal.timeout(FETCH_LIMITS.time);
  const added = new Set<string>();
  let remaining = FETCH_LIMITS.totalSize;
  const fetchOne = async (url: string): Promise<Target> => {
    if (signal.aborted || remaining <= 0) return { problem: texts.tooManyPictures };
    const response = await outbound
      .get(url, { maxBytes: Math.min(FETCH_LIMITS.size, remaining), accept: 'image/*', signal })
      .catch((error: unknown) => {
        if (error instanceof DomainError) return { problem: error.message };
        throw error;
      });
    if ('problem' in response) return { problem: texts.pictureNotLoaded ?? response.problem };
    remaining -= response.bytes.length;
    const file = hash('sha256', response.bytes);
    if (!added.has(file)) {
      added.add(file);
      await draft.addFile(file, Readable.from([response.bytes]));
    }
    return { file };
  };
  const pending = [...pictureUrls];
  const skipped = pending.splice(FETCH_LIMITS.count);
  const setTarget = (url: string, target: Target) =>
    targets.set(refKey({ kind: 'url', url }), { href: url, ...target });
  // Inserted in this order first, so that it does not depend on which fetch finishes first.
  for (const url of pictureUrls) setTarget(url, {});
  const fetchNext = async (): Promise<void> => {
    for (let url = pending.pop(); url !== undefined; url = pending.pop()) setTarget(url, await fetchOne(url));
  };
  await Promise.all(Array.from({ length: FETCH_LIMITS.concurrency }, fetchNext));
  for (const url of skipped) setTarget(url, { problem: texts.tooManyPictures });
}
