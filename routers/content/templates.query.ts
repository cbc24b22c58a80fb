import { z } from 'zod';
import { objectReader } from '../branches/objects.operation.ts';
import type { Db, Services } from '../context.ts';
import { ContentRef } from '../engine/document/document.ts';
import type { EditChange } from '../engine/edit/changes.ts';
import { DomainError } from '../engine/errors.ts';
import { titleFromPath } from '../engine/import/outline.ts';
import { basename } from '../engine/import/paths.ts';
import type { ObjectReader } from '../engine/store/objects.ts';
import type { FileRecord } from '../engine/store/records.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { pageFromMarkdown } from '../engine/templates/markdown.ts';
import { changesOf, type TemplatePage } from '../engine/templates/outline.ts';
import { PAGE_TEMPLATES } from '../engine/templates/pages.ts';
import { addressReader, type ReadAddress } from './addresses.ts';
import { readTextFile, textOf } from './sources.query.ts';

/** A template, with its references. */
export const TemplateInput = z.object({
  id: z
    .string()
    .max(100)
    .describe(`${Object.keys(PAGE_TEMPLATES).join(', ')}, openapi-reference or import.`),
  params: z
    .object({
      contentRefs: z
        .record(z.string(), ContentRef)
        .refine((refs) => Object.keys(refs).length <= 10, { error: 'must have at most 10 references' })
        .optional()
        .describe('What to make pages from: files of the space, or URLs, under any keys.'),
    })
    .optional(),
});
type Template = z.output<typeof TemplateInput>;

interface Source {
  ref: ContentRef;
  /** Its name at the source. */
  name: string;
  text: string;
}

/** Makes pages from what a template refers to; undefined if that is not of the required kind. */
type MakePages = (source: Source, engine: Engine) => Promise<TemplatePage[] | undefined>;

/** A specification refers to no objects. */
const NO_OBJECTS: ObjectReader = { read: async () => new Map() };

const FROM_SOURCES: Readonly<Record<string, { make: MakePages; needs: string }>> = {
  'openapi-reference': {
    make: ({ ref, text }, engine) => engine.run('specification', { text, ref }, NO_OBJECTS),
    needs: 'an OpenAPI document in JSON, or in YAML of at most 512 kB',
  },
  import: {
    make: async ({ name, text }) => [pageFromMarkdown(text, titleFromPath(name))],
    needs: 'a Markdown file',
  },
};

/**
 * The changes of a template for a space. May read files and other servers, so it must not run in a transaction.
 * @throws DomainError `invalid` for an unknown template, or one that cannot be made from its references.
 */
export async function readTemplate(
  db: Db,
  services: Services,
  engine: Engine,
  space: { revision: string },
  { id, params }: Template,
): Promise<EditChange[]> {
  const pages = Object.hasOwn(PAGE_TEMPLATES, id) ? PAGE_TEMPLATES[id] : undefined;
  if (pages) return changesOf(pages);
  const template = Object.hasOwn(FROM_SOURCES, id) ? FROM_SOURCES[id] : undefined;
  if (!template) throw refusal('template.id', `There is no template "${id}".`);
  const refs = Object.entries(params?.contentRefs ?? {});
  const place = 'template.params.contentRefs';
  if (refs.length === 0) throw refusal(place, `The template needs a reference to ${template.needs}.`);
  const files = await filesNamed(
    db,
    space,
    refs.map(([, ref]) => ref),
  );
  const readAddress = addressReader(services.outbound);
  const made: TemplatePage[] = [];
  for (const [key, ref] of refs) {
    const source = await readSource(services.storage, readAddress, files, ref);
    if ('problem' in source) throw refusal(`${place}.${key}`, source.problem);
    const fromSource = await template.make(source, engine);
    if (!fromSource) throw refusal(`${place}.${key}`, `It is not ${template.needs}.`);
    for (const page of fromSource) made.push(page);
  }
  return changesOf(made);
}

const refusal = (path: string, message: string) => new DomainError('invalid', message, [{ path, message }]);

/** The files of a space that some of the references refer to, by id. */
async function filesNamed(
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
  readAddress: ReadAddress,
  files: ReadonlyMap<string, FileRecord>,
  ref: ContentRef,
): Promise<Source | { problem: string }> {
  if (ref.kind === 'url') {
    const answer = await readAddress(ref.url);
    if ('problem' in answer) return answer;
    return { ref, name: basename(new URL(ref.url).pathname), ...textOf(answer.bytes) };
  }
  if (ref.kind === 'openapi') return { problem: `There is no OpenAPI specification "${ref.spec}".` };
  if (ref.kind !== 'file')
    return { problem: 'The reference must be a file, a URL or an OpenAPI specification.' };
  const file = ref.space === undefined ? files.get(ref.file) : undefined;
  if (!file) return { problem: 'There is no such file in the space.' };
  return { ref, name: file.name, ...(await readTextFile(storage, file)) };
}
