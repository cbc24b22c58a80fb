import { z } from 'zod';
import type { Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { byteLimit } from '../engine/byte-limit.ts';
import { ContentRef } from '../engine/document/document.ts';
import { specOf } from '../engine/document/refs.ts';
import type { EditChange } from '../engine/edit/changes.ts';
import { FILE_LIMIT } from '../engine/edit/files.ts';
import { DomainError } from '../engine/errors.ts';
import { titleFromPath } from '../engine/import/outline.ts';
import { basename } from '../engine/import/paths.ts';
import { decodeText } from '../engine/import/text.ts';
import { SPEC_LIMIT } from '../engine/specs/limits.ts';
import { NO_OBJECTS } from '../engine/store/objects.ts';
import type { FileRecord } from '../engine/store/records.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { templatePages } from '../engine/templates/api-outline.ts';
import type { ApiSource } from '../engine/templates/computed-pages.ts';
import { pageFromMarkdown } from '../engine/templates/markdown.ts';
import { insertChanges, type TemplatePage } from '../engine/templates/outline.ts';
import { PAGE_TEMPLATES } from '../engine/templates/pages.ts';
import { readBytes } from '../specs/stored-files.query.ts';
import { createFileFetcher, type FetchFile } from './file-urls.ts';
import { readSpecs } from './sources.query.ts';

/** A template, with its references. */
export const TemplateInput = z.object({
  id: z
    .string()
    .max(100)
    .describe(`One of ${Object.keys(PAGE_TEMPLATES).join(', ')}, openapi-reference or import.`),
  params: z
    .object({
      contentRefs: z
        .record(z.string(), ContentRef)
        .refine((refs) => Object.keys(refs).length <= 10, { error: 'must have at most 10 references' })
        .optional()
        .describe(
          'What to create pages from, under any keys: files of the space, URLs, or OpenAPI specs by their slugs.',
        ),
    })
    .optional()
    .describe('The parameters of the template.'),
});
type Template = z.output<typeof TemplateInput>;

type SpecRef = Extract<ContentRef, { kind: 'openapi' }>;

interface Source {
  ref: ContentRef;
  /** The name of the file. */
  name: string;
  bytes: Uint8Array;
}

/** Makes pages from a file that a template refers to; undefined if it is not of the required kind. */
type MakePages = (source: Source, engine: Engine) => Promise<TemplatePage[] | undefined>;

interface SourceTemplate {
  make: MakePages;
  needs: string;
  /** The size of the largest file that is read, in bytes. */
  limit: number;
  /** The page that follows an OpenAPI spec of the organization, if the template supports that. */
  follow?(ref: SpecRef, source: ApiSource): TemplatePage;
}

const SOURCE_TEMPLATES: Readonly<Record<string, SourceTemplate>> = {
  'openapi-reference': {
    async make({ ref, bytes }, engine) {
      const outline = await engine.run('apiOutline', { bytes }, NO_OBJECTS);
      return outline && templatePages(outline, ref);
    },
    needs: 'an OpenAPI document in JSON or YAML',
    limit: SPEC_LIMIT,
    follow: (ref, { outline }) => ({
      title: ('title' in outline ? outline.title : undefined) ?? 'API reference',
      type: 'computed',
      computed: { type: 'builtin:openapi', dependencies: { spec: { ref } } },
    }),
  },
  import: {
    async make({ name, bytes }) {
      const text = decodeText(bytes)?.text;
      return text === undefined ? undefined : [pageFromMarkdown(text, titleFromPath(name))];
    },
    needs: 'a Markdown file in UTF-8',
    limit: FILE_LIMIT,
  },
};

/**
 * The changes that apply a template to a space. May read files and other servers, so it must not run in a transaction.
 * @throws DomainError `invalid` for an unknown template, or one that does not work with its references
 */
export async function readTemplate(
  db: Db,
  services: Services,
  engine: Engine,
  space: { revision: string; organization: string },
  { id, params }: Template,
): Promise<EditChange[]> {
  const pages = Object.hasOwn(PAGE_TEMPLATES, id) ? PAGE_TEMPLATES[id] : undefined;
  if (pages) return insertChanges(pages);
  const template = Object.hasOwn(SOURCE_TEMPLATES, id) ? SOURCE_TEMPLATES[id] : undefined;
  if (!template) throw invalidTemplate('template.id', `There is no template "${id}".`);
  const refs = Object.entries(params?.contentRefs ?? {});
  const place = 'template.params.contentRefs';
  if (refs.length === 0) throw invalidTemplate(place, `The template needs a reference to ${template.needs}.`);
  const all = refs.map(([, ref]) => ref);
  const [files, specs] = await Promise.all([
    readReferencedFiles(db, space, all),
    readSpecs({ db, space, services, engine }, template.follow ? all : []),
  ]);
  const fetchFile = createFileFetcher(services.outbound);
  const made: TemplatePage[] = [];
  for (const [key, ref] of refs) {
    const spec = specs.get(ref);
    if (spec && ref.kind === 'openapi' && template.follow) {
      // An OpenAPI spec that is still being processed is followed once that is done.
      const isMissing = spec.value === null || specOf(ref).version !== undefined;
      if ('problem' in spec.outline && isMissing)
        throw invalidTemplate(`${place}.${key}`, spec.outline.problem);
      made.push(template.follow(ref, spec));
      continue;
    }
    const source = await readSource(services.storage, fetchFile, files, ref, template);
    if ('problem' in source) throw invalidTemplate(`${place}.${key}`, source.problem);
    const fromSource = await template.make(source, engine);
    if (!fromSource) throw invalidTemplate(`${place}.${key}`, `It is not ${template.needs}.`);
    for (const page of fromSource) made.push(page);
  }
  return insertChanges(made);
}

const invalidTemplate = (path: string, message: string) =>
  new DomainError('invalid', message, [{ path, message }]);

/** The files of a space that some of the references refer to, by id. */
async function readReferencedFiles(
  db: Db,
  space: { revision: string },
  refs: readonly ContentRef[],
): Promise<Map<string, FileRecord>> {
  const ids = refs.flatMap((ref) => (ref.kind === 'file' && ref.space === undefined ? ref.file : []));
  if (ids.length === 0) return new Map();
  const { root } = await db
    .selectFrom('revision')
    .select('root')
    .where('id', '=', space.revision)
    .executeTakeFirstOrThrow();
  return (await openSnapshot(objectReader(db), root)).filesById(ids);
}

async function readSource(
  storage: Services['storage'],
  fetchFile: FetchFile,
  files: ReadonlyMap<string, FileRecord>,
  ref: ContentRef,
  { limit, needs }: SourceTemplate,
): Promise<Source | { problem: string }> {
  if (ref.kind === 'url') {
    const response = await fetchFile(ref.url);
    if ('problem' in response) return response;
    return { ref, name: basename(new URL(ref.url).pathname), bytes: response.bytes };
  }
  if (ref.kind !== 'file') return { problem: `The reference must lead to ${needs}.` };
  const file = ref.space === undefined ? files.get(ref.file) : undefined;
  if (!file) return { problem: 'There is no such file in the space.' };
  const bytes = await readBytes(storage, file.sha256, limit);
  return bytes
    ? { ref, name: file.name, bytes }
    : { problem: `The file is larger than ${byteLimit(limit)}.` };
}
