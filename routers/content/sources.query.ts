import type { ProcessingState } from '../../schema/enums.ts';
import { specTag } from '../base/cache-tags.ts';
import type { Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import { runInTurns } from '../base/run-in-turns.ts';
import { byteLimit } from '../engine/byte-limit.ts';
import type { ContentRef } from '../engine/document/document.ts';
import { specOf } from '../engine/document/refs.ts';
import { SPEC_LIMIT } from '../engine/specs/limits.ts';
import type { Snapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import type { ApiOutline } from '../engine/templates/api-outline.ts';
import type { ApiSource, ApiSources } from '../engine/templates/computed-pages.ts';
import { firstCharacters } from '../engine/text.ts';
import { readApiOutline } from '../specs/api-outlines.operation.ts';
import { type FoundVersion, findSpecVersions } from '../specs/versions.query.ts';
import { readFormerPages, recordSpecPages } from './spec-pages.operation.ts';

type FileRef = Extract<ContentRef, { kind: 'file' }>;
type SpecRef = Extract<ContentRef, { kind: 'openapi' }>;

/** What OpenAPI specs are read with; those of other organizations are not found. */
interface SpecReader {
  db: Db;
  space: { organization: string };
  services: Pick<Services, 'storage'>;
  engine: Engine;
  /** The cache tags of what is read. */
  dependencies?: Set<string>;
}

/** The content whose references are followed. */
interface ReferringContent extends SpecReader {
  snapshot: Pick<Snapshot, 'filesById'>;
}

/** The OpenAPI documents that content refers to: files of its space, and OpenAPI specs of its organization. */
export const apiSourcesOf = (content: ReferringContent): ApiSources => ({
  async read(refs) {
    const [files, specs] = await Promise.all([
      readFiles(content, refs.filter(isFile)),
      readSpecs(content, refs),
    ]);
    return new Map(refs.map((ref) => [ref, files.get(ref) ?? specs.get(ref) ?? UNSUPPORTED]));
  },
  async formerPages(ref, path) {
    if (ref.kind !== 'openapi') return [];
    const { db, space } = content;
    const [found] = await findSpecVersions(db, space.organization, [{ spec: specOf(ref).spec }]);
    const slug = found?.spec.slug ?? specOf(ref).spec;
    return readFormerPages(db, { organization: space.organization, slug }, path);
  },
  runInTurns,
});

const isFile = (ref: ContentRef): ref is FileRef => ref.kind === 'file' && ref.space === undefined;

const UNSUPPORTED: ApiSource = {
  name: 'source',
  outline: { problem: 'This page refers to neither an OpenAPI spec nor a file of the space.' },
};

async function readFiles(
  { snapshot, ...content }: ReferringContent,
  refs: readonly FileRef[],
): Promise<Map<ContentRef, ApiSource>> {
  if (refs.length === 0) return new Map();
  const files = await snapshot.filesById(refs.map(({ file }) => file));
  const sources = await Promise.all(
    refs.map(async (ref): Promise<ApiSource> => {
      const file = files.get(ref.file);
      if (!file) return { name: 'file', outline: { problem: 'The file of this page is not in the space.' } };
      const name = `file ${quoted(file.name)}`;
      if (file.size > SPEC_LIMIT)
        return { name, outline: { problem: `The ${name} is larger than ${byteLimit(SPEC_LIMIT)}.` } };
      const outline = await outlineOf(content, file.sha256);
      return { name, outline: outline ?? { problem: `The ${name} is not an OpenAPI document.` } };
    }),
  );
  return new Map(refs.map((ref, index) => [ref, sources[index] as ApiSource]));
}

/** Reads the references that lead to OpenAPI specs of the organization, in the version that they name or the latest. */
export async function readSpecs(
  content: SpecReader,
  all: readonly ContentRef[],
): Promise<Map<ContentRef, ApiSource>> {
  const refs = all.filter((ref) => ref.kind === 'openapi');
  const { db, space, dependencies } = content;
  const found = await findSpecVersions(db, space.organization, refs.map(specOf));
  for (const [index, ref] of refs.entries())
    dependencies?.add(specTag(space.organization, found[index]?.spec.slug ?? specOf(ref).spec));
  const missing = refs.filter((_, index) => !found[index]);
  const problems = await findProblems(db, space.organization, missing);
  const sources = await Promise.all(
    refs.map((ref, index) => {
      const version = found[index];
      return version ? readVersion(content, ref, version) : (problems.get(ref) as ApiSource);
    }),
  );
  return new Map(refs.map((ref, index) => [ref, sources[index] as ApiSource]));
}

async function readVersion(
  content: SpecReader,
  ref: SpecRef,
  { spec, version }: FoundVersion,
): Promise<ApiSource> {
  const { organization } = content.space;
  const name = specName(spec.slug);
  const outline = await outlineOf(content, version.document);
  if (outline && specOf(ref).version === undefined)
    await recordSpecPages(content.db, { organization, slug: spec.slug }, version.id, outline);
  return {
    name,
    outline: outline ?? { problem: `The ${name} is too large to be shown.` },
    value: dependencyOn(spec),
  };
}

const outlineOf = ({ db, services, engine }: SpecReader, hash: string): Promise<ApiOutline | null> =>
  readApiOutline({ db, storage: services.storage, engine }, hash);

/** Why some references lead to no version. */
async function findProblems(
  db: Db,
  organization: string,
  refs: readonly SpecRef[],
): Promise<Map<ContentRef, ApiSource>> {
  if (refs.length === 0) return new Map();
  const names = [...new Set(refs.map((ref) => specOf(ref).spec))];
  const specs = await db
    .selectFrom('openapi_spec')
    .select(['id', 'slug', 'processing_state as state', 'last_version_id as lastVersion'])
    // guard: spec-sources-organization
    .where('organization_id', '=', organization)
    .where((eb) =>
      eb.or([eb('slug', '=', eb.fn.any(eb.val(names))), eb('id', '=', eb.fn.any(eb.val(names)))]),
    )
    .execute();
  return new Map(
    refs.map((ref): [ContentRef, ApiSource] => {
      const { spec: wanted, version } = specOf(ref);
      const spec = specs.find(({ slug }) => slug === wanted) ?? specs.find(({ id }) => id === wanted);
      const name = specName(spec?.slug ?? wanted);
      if (!spec) return [ref, { name, outline: { problem: `There is no ${name}.` }, value: null }];
      const problem = `The ${name} ${problemOf(spec.state, version)}.`;
      return [ref, { name, outline: { problem }, value: dependencyOn(spec) }];
    }),
  );
}

function problemOf(state: ProcessingState, version: string | undefined): string {
  if (version !== undefined) return `has no version ${quoted(version)}`;
  return state === 'complete' ? 'could not be processed' : 'is being processed';
}

/** An OpenAPI spec as the pages that are computed from it refer to it. */
const dependencyOn = ({ id, slug, lastVersion }: FoundVersion['spec']) => ({
  object: 'openapi-spec',
  id,
  slug,
  ...(lastVersion !== null && { lastVersion }),
});

const specName = (slug: string): string => `OpenAPI spec ${quoted(slug)}`;

/** Quotes a name for a sentence; names in stored references may have any length. */
const quoted = (name: string): string => `"${firstCharacters(name, 100)}"`;
