import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '../base/db.ts';
import { type ApiOutline, walkApiPages } from '../engine/templates/api-outline.ts';
import type { FormerPage } from '../engine/templates/computed-pages.ts';

/** An OpenAPI spec of an organization, by its slug. */
interface NamedSpec {
  organization: string;
  slug: string;
}

/** Former pages of one OpenAPI spec among which links by id are looked up. */
const MAX_FORMER_PAGES = 10_000;

type RecordedVersions = LRUCache<string, Promise<void>>;

/** The versions whose pages this process has recorded; by database, since a transaction may be rolled back. */
const recordedIn = new WeakMap<Db, RecordedVersions>();

/**
 * Records the paths of the pages of the latest version of an OpenAPI spec, when they are first shown: nobody can have a link
 * to a page that was never shown.
 */
export function recordSpecPages(
  db: Db,
  { organization, slug }: NamedSpec,
  version: string,
  outline: ApiOutline,
): Promise<void> {
  const recorded: RecordedVersions = recordedIn.get(db) ?? new LRUCache({ max: 1000 });
  recordedIn.set(db, recorded);
  const key = `${organization} ${slug} ${version}`;
  const known = recorded.get(key);
  if (known) return known;
  const pages = JSON.stringify(
    Array.from(
      walkApiPages(outline.pages),
      ({ path, page: { key, title } }): FormerPage => ({ key, title, path }),
    ),
  );
  // In the order of the paths, so that two processes cannot deadlock.
  const recording = sql`
    insert into openapi_spec_page (organization_id, slug, path, key, title, version)
    select ${organization}, ${slug}, path, key, title, ${version}
    from json_to_recordset(${pages}::json) as page(path text, key text, title text)
    order by path collate "C"
    on conflict (organization_id, slug, path) do update
    set key = excluded.key, title = excluded.title, version = excluded.version
    where openapi_spec_page.version < excluded.version
      and (openapi_spec_page.key, openapi_spec_page.title) is distinct from (excluded.key, excluded.title)`
    .execute(db)
    .then(
      () => undefined,
      (error: unknown) => {
        recorded.delete(key);
        throw error;
      },
    );
  recorded.set(key, recording);
  return recording;
}

/** The pages that an OpenAPI spec has had, the latest first; with `path`, only those that were at it. */
export const readFormerPages = (
  db: Db,
  { organization, slug }: NamedSpec,
  path: string | undefined,
): Promise<FormerPage[]> =>
  db
    .selectFrom('openapi_spec_page')
    .select(['key', 'title', 'path'])
    .where('organization_id', '=', organization)
    .where('slug', '=', slug)
    .$if(path !== undefined, (query) => query.where('path', '=', path as string))
    .orderBy('version', 'desc')
    .limit(MAX_FORMER_PAGES)
    .execute();
