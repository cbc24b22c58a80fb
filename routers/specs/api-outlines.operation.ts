import { sql } from 'kysely';
import { parseJson } from '../../schema/json/parse-json.ts';
import type { Db } from '../base/db.ts';
import type { FileStorage } from '../base/ports.ts';
import { LimitExceeded } from '../engine/errors.ts';
import { SPEC_LIMIT } from '../engine/specs/limits.ts';
import { NO_OBJECTS } from '../engine/store/objects.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import type { ApiOutline } from '../engine/templates/api-outline.ts';
import { FileCache } from './file-cache.ts';
import { readBytes } from './stored-files.query.ts';

/** To be increased with every change of the computation: stored outlines of other formats are computed again. */
const FORMAT = 3;

/** The maximum of bytes of outlines in memory, approximately. */
const CACHE_BYTES = 16 * 1024 * 1024;

const cache = new FileCache<ApiOutline | null>(CACHE_BYTES);

/** What reading an outline needs. */
interface OutlineReader {
  db: Db;
  storage: FileStorage;
  engine: Engine;
}

/**
 * The outline of an OpenAPI document that is stored as a file; null if the file is not one. It is computed once and then
 * kept in the database, for all processes.
 */
export const readApiOutline = (reader: OutlineReader, hash: string): Promise<ApiOutline | null> =>
  cache.get(hash, async () => {
    const json = await readOrCompute(reader, hash);
    // Parsed JSON takes a few times as much as its text.
    return { value: parseJson(json) as ApiOutline | null, size: 200 + json.length * 3 };
  });

async function readOrCompute(reader: OutlineReader, hash: string): Promise<string> {
  const stored = await reader.db
    .selectFrom('api_outline')
    .select(sql<string>`coalesce(body::text, 'null')`.as('json'))
    .where('hash', '=', hash)
    .where('format', '=', FORMAT)
    .executeTakeFirst();
  return stored?.json ?? computeAndSave(reader, hash);
}

async function computeAndSave({ db, storage, engine }: OutlineReader, hash: string): Promise<string> {
  try {
    const bytes = await readBytes(storage, hash, SPEC_LIMIT);
    return await saveApiOutline(db, hash, bytes && (await engine.run('apiOutline', { bytes }, NO_OBJECTS)));
  } catch (error) {
    // The cause may be a busy machine, so this is only cached in this process.
    if (error instanceof LimitExceeded) return 'null';
    throw error;
  }
}

/** Saves the outline of a stored document; undefined if it is not an OpenAPI document. @returns the saved JSON */
export async function saveApiOutline(db: Db, hash: string, outline: ApiOutline | undefined): Promise<string> {
  const json = JSON.stringify(outline ?? null);
  // Another process may have computed the same meanwhile.
  await sql`
    insert into api_outline (hash, format, body, created_at)
    values (${hash}, ${FORMAT}, nullif(${json}, 'null')::json, now())
    on conflict (hash) do update set format = excluded.format, body = excluded.body
    where api_outline.format <> excluded.format`.execute(db);
  return json;
}
