/** Brings the files of a book into its draft: pictures of the content and of the web, and OpenAPI documents. */

import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Context, Services } from '../base/context.ts';
import type { BookDraft } from '../base/ports.ts';
import type { ContentRef } from '../engine/document/document.ts';
import { specOf } from '../engine/document/refs.ts';
import { DomainError } from '../engine/errors.ts';
import { refKey, type Target } from '../engine/pdf/targets.ts';
import { findSpecVersions } from '../specs/versions.query.ts';

/** Bytes of pictures of one PDF; further ones are noted in their place. */
const MAX_PICTURES = 500_000_000;

/** Bytes of one picture. */
const MAX_PICTURE = 30_000_000;

/** The pictures of one PDF that are fetched: how many, the bytes of one and of all, how many at once, and milliseconds. */
const FETCHED = { count: 300, size: 10_000_000, all: 100_000_000, concurrency: 4, time: 60_000 };

/** Bytes of the OpenAPI documents of one PDF; operations of further ones are shown by name. */
const MAX_SPECS = 50_000_000;

interface Found {
  refs: ReadonlyMap<string, ContentRef>;
  /** What is found is noted here. */
  targets: Map<string, Target>;
  pictureUrls: ReadonlySet<string>;
}

/** Adds the files that some targets lead to. */
export async function addFiles(
  reading: Pick<Context, 'db' | 'services'> & { organization: string },
  found: Found,
  draft: BookDraft,
): Promise<void> {
  const { services } = reading;
  await addPictures(services, found.targets, draft);
  await addSpecs(reading, found, draft);
  await fetchPictures(services, found, draft);
}

/** Adds the pictures among the files; the others are links. */
async function addPictures(
  { storage }: Pick<Services, 'storage'>,
  targets: ReadonlyMap<string, Target>,
  draft: BookDraft,
): Promise<void> {
  let left = MAX_PICTURES;
  const added = new Set<string>();
  for (const { file, title = '', size = 0 } of targets.values()) {
    if (file === undefined || added.has(file) || !PICTURE.test(title)) continue;
    added.add(file);
    if (size > MAX_PICTURE || size > left || (await storage.size(file)) === undefined) continue;
    left -= size;
    await draft.addFile(file, await storage.read(file));
  }
}

const PICTURE = /\.(?:png|jpe?g|gif|webp|svg|avif|tiff?|bmp|heic)$/i;

/** Adds the OpenAPI documents that operations are of. */
async function addSpecs(
  { db, services: { storage }, organization }: Parameters<typeof addFiles>[0],
  { refs, targets }: Found,
  draft: BookDraft,
): Promise<void> {
  const named = [...refs.values()].filter((ref) => ref.kind === 'openapi');
  const versions = await findSpecVersions(db, organization, named.map(specOf));
  let left = MAX_SPECS;
  const added = new Set<string>();
  for (const [index, ref] of named.entries()) {
    const found = versions[index];
    if (!found) continue;
    const { document: spec } = found.version;
    const key = refKey(ref);
    const target = { ...targets.get(key), title: found.spec.slug };
    if (!added.has(spec)) {
      const size = await storage.size(spec);
      if (size !== undefined && size <= left) {
        left -= size;
        added.add(spec);
        await draft.addFile(spec, await storage.read(spec));
      }
    }
    targets.set(key, added.has(spec) ? { ...target, spec } : target);
  }
}

/** Fetches the pictures of the web, a few at once. */
async function fetchPictures(
  { outbound }: Pick<Services, 'outbound'>,
  { targets, pictureUrls }: Found,
  draft: BookDraft,
): Promise<void> {
  const signal = AbortSignal.timeout(FETCHED.time);
  const added = new Set<string>();
  let left = FETCHED.all;
  const fetchOne = async (url: string): Promise<Target> => {
    if (signal.aborted || left <= 0) return { problem: NOT_FETCHED };
    const answer = await outbound
      .get(url, { maxBytes: Math.min(FETCHED.size, left), accept: 'image/*', signal })
      .catch((error: unknown) => {
        if (error instanceof DomainError) return { problem: error.message };
        throw error;
      });
    if ('problem' in answer) return { problem: answer.problem };
    left -= answer.bytes.length;
    const file = hash('sha256', answer.bytes);
    if (!added.has(file)) {
      added.add(file);
      await draft.addFile(file, Readable.from([answer.bytes]));
    }
    return { file };
  };
  const waiting = [...pictureUrls];
  const further = waiting.splice(FETCHED.count);
  const note = (url: string, target: Target) =>
    targets.set(refKey({ kind: 'url', url }), { href: url, ...target });
  // Their order does not depend on which of them comes first.
  for (const url of pictureUrls) note(url, {});
  const fetchNext = async (): Promise<void> => {
    for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) note(url, await fetchOne(url));
  };
  await Promise.all(Array.from({ length: FETCHED.concurrency }, fetchNext));
  for (const url of further) note(url, { problem: NOT_FETCHED });
}

const NOT_FETCHED = 'The PDF has too many pictures of other servers.';
