import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readSpecNames } from '../content/link-index.operation.ts';
import type { ImportedDocument } from '../engine/import/mutations.ts';
import type { ImportPlan } from '../engine/import/plan.ts';
import { type ImportNote, quote } from '../engine/import/report.ts';
import { linesOfSpecs, type SpecLines } from '../engine/import/spec-references.ts';
import { getTexts } from '../engine/store/texts.ts';

interface ImportedSpecs {
  /** By the id of their page or reusable content. */
  documents: ReadonlyMap<string, ImportedDocument>;
  /** Those that were parsed in this import; what others refer to is read from the index of links. */
  specs: ReadonlyMap<string, SpecLines>;
}

/** A reference to a spec, with the first document that has it. */
interface SpecMention {
  name: string;
  /** The id of the page or reusable content. */
  from: string;
}

/** A note for each OpenAPI spec that the organization of the space does not have, where content first refers to it. */
export async function readSpecNotes(
  db: Db,
  space: string,
  { pages, reusableContents }: Pick<ImportPlan, 'pages' | 'reusableContents'>,
  imported: ImportedSpecs,
): Promise<ImportNote[]> {
  const bodies = new Map([...pages, ...reusableContents].map((body) => [body.id, body]));
  const mentions = await readFirstMentions(db, [...bodies.keys()], imported);
  const unknown = await findUnknownSpecs(
    db,
    space,
    mentions.map(({ name }) => name),
  );
  const missing = mentions.filter(({ name }) => unknown.has(name));
  const lineOf = await readLines(db, missing, imported);
  return missing.map((mention): ImportNote => {
    const { git, title } = bodies.get(mention.from) ?? {};
    const line = lineOf(mention);
    const message = `The organization has no OpenAPI spec ${quote(mention.name)}, so pages show nothing of it until there is one.`;
    return {
      file: git?.path ?? title ?? '',
      ...(line !== undefined && { line }),
      severity: 'warning',
      message,
    };
  });
}

/** The specs that documents refer to, in the order of the documents, each once. */
async function readFirstMentions(
  db: Db,
  ids: readonly string[],
  { documents, specs }: ImportedSpecs,
): Promise<SpecMention[]> {
  const reused = ids.flatMap((id) => (specs.has(id) ? [] : (documents.get(id)?.document ?? [])));
  const stored = await readSpecNames(db, reused);
  const first = new Map<string, SpecMention>();
  for (const from of ids) {
    const names = specs.get(from)?.keys() ?? stored.get(documents.get(from)?.document ?? '') ?? [];
    for (const name of names) if (!first.has(name)) first.set(name, { name, from });
  }
  return [...first.values()];
}

/** Those of some specs, by slug or id, that the organization of a space does not have; none if the space does not exist yet. */
async function findUnknownSpecs(db: Db, space: string, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const { rows } = await sql<{ name: string }>`
    select name from space cross join unnest(${[...names]}::text[]) as name
    where space.id = ${space} and not exists (
      select from openapi_spec
      where openapi_spec.organization_id = space.organization_id and name in (openapi_spec.slug, openapi_spec.id))`.execute(
    db,
  );
  return new Set(rows.map(({ name }) => name));
}

/** The lines of references; those in files that were not parsed are found in their stored texts. */
async function readLines(
  db: Db,
  mentions: readonly SpecMention[],
  { documents, specs }: ImportedSpecs,
): Promise<(mention: SpecMention) => number | undefined> {
  const unread = mentions.filter(({ from }) => !specs.has(from));
  const texts = await getTexts(
    objectReader(db),
    unread.flatMap(({ from }) => documents.get(from)?.text ?? []),
  );
  const byDocument = Map.groupBy(unread, ({ from }) => from);
  const found = new Map(
    [...byDocument].map(([from, inside]) => {
      const text = texts.get(documents.get(from)?.text ?? '')?.text ?? '';
      return [from, linesOfSpecs(new Set(inside.map(({ name }) => name)), text)];
    }),
  );
  return ({ name, from }) => (specs.get(from) ?? found.get(from))?.get(name);
}
