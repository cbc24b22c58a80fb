import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { DatabasePool } from '../../server/database/database-pool.ts';
import { type ApiResponse, startTestService, type TestService } from '../helpers/service.ts';
import { runAsOtherTransaction } from '../helpers/transactions.ts';
import { call, idsFor } from './calls.ts';
import { type IdField, type Ids, idOf, inputOf } from './inputs.ts';
import { type Operation, operations } from './operations.ts';
import { buildWorld, type World } from './world.ts';

let service: TestService;
let world: World;
beforeAll(async () => {
  service = await startTestService();
  world = await buildWorld(service);
});
afterAll(() => service.close());
afterEach(() => vi.restoreAllMocks());

/** A kind of row that other callers may delete concurrently. */
interface Deletable {
  table: string;
  /** The id column. */
  column: string;
  /** Rows that are locked when it is deleted, by table and the kind of their id. */
  lockedParents: (readonly [table: string, kind: string])[];
  /** Whether the row is only marked as deleted. */
  isSoftDeleted?: boolean;
}

const ORGANIZATION = ['organization', 'organizationId'] as const;
const SITE = ['site', 'siteId'] as const;

const row = (table: string, column = 'id', ...lockedParents: Deletable['lockedParents']): Deletable => ({
  table,
  column,
  lockedParents,
});
const section = row('site_section', 'id', SITE);
const siteSpace = row('site_space', 'id', SITE);
const collection = row('collection', 'id', ORGANIZATION);
const space = { ...row('space', 'id', ORGANIZATION), isSoftDeleted: true };

/** By the kinds of ids in `inputs.ts`. */
const DELETABLE: Readonly<Record<string, Deletable>> = {
  teamId: row('team'),
  userId: row('member', 'user_id', ORGANIZATION),
  tokenId: row('api_token'),
  webhookId: row('webhook'),
  deliveryId: row('webhook_delivery'),
  conversationId: row('conversation'),
  issueId: row('conversation_issue'),
  translationId: row('translation'),
  glossaryEntryId: row('glossary_entry'),
  clusterId: row('issues_cluster'),
  specSlug: row('openapi_spec', 'slug'),
  siteId: row('site'),
  siteSpaceId: siteSpace,
  siblingSiteSpaceId: siteSpace,
  siteSectionId: section,
  siblingSectionId: section,
  groupedSectionId: section,
  siteSectionGroupId: row('site_section_group', 'id', SITE),
  shareLinkId: row('share_link'),
  siteRedirectId: row('site_redirect'),
  hostname: row('custom_hostname', 'hostname'),
  commentId: row('comment', 'id', ['space', 'spaceId'], ['change_request', 'changeRequestId']),
  commentReplyId: row('comment', 'id', ['space', 'spaceId'], ['change_request', 'changeRequestId']),
  collectionId: collection,
  siblingCollectionId: collection,
  shelvedCollectionId: collection,
  spaceId: space,
  siblingSpaceId: space,
};

/** A leased database connection, as its users see it. */
interface Lease {
  query(text: string, parameters?: readonly unknown[], limit?: number): Promise<{ rows: unknown[] }>;
  release(): void;
}

/**
 * Deletes a row in the middle of a transaction, after a number of its statements have found rows in the table, unless the
 * deletion would have to wait for the transaction. Both are rolled back.
 * @returns the response of the operation, and whether the row was deleted
 */
async function deleteAfterReads(
  reads: number,
  { table, column, lockedParents, isSoftDeleted }: Deletable,
  id: string,
  ids: Ids,
  work: () => Promise<ApiResponse>,
): Promise<{ response: ApiResponse; isDeleted: boolean }> {
  const original = DatabasePool.prototype.connect;
  let left = reads;
  let isDeleted = false;
  const locks = [
    { table, column, id, lock: isSoftDeleted ? 'no key update' : 'update' },
    ...lockedParents.map(([other, kind]) => ({
      table: other,
      column: 'id',
      id: idOf(ids, kind),
      lock: 'no key update',
    })),
  ];
  const mayDelete = async (pool: DatabasePool) => {
    const lease = (await original.call(pool)) as Lease;
    let isFree = true;
    for (const one of locks) {
      const found = `select from "${one.table}" where "${one.column}" = $1 limit 1 for ${one.lock} skip locked`;
      isFree &&= (await lease.query(found, [one.id])).rows.length > 0;
    }
    lease.release();
    return isFree;
  };
  vi.spyOn(DatabasePool.prototype, 'connect').mockImplementation(async function (this: DatabasePool) {
    const lease = (await original.call(this)) as Lease;
    const query = lease.query.bind(lease);
    let isTransaction = false;
    lease.query = async (text, parameters = [], limit) => {
      if (/^commit/i.test(text)) {
        await query('set constraints all immediate');
        return query('rollback', parameters, limit);
      }
      const result = await query(text, parameters, limit);
      isTransaction ||= /^begin/i.test(text);
      if (!isTransaction || result.rows.length === 0 || !text.includes(`"${table}"`)) return result;
      if (--left === 0 && (await mayDelete(this))) {
        const deletion = isSoftDeleted
          ? `update "${table}" set deleted_at = now()`
          : `delete from "${table}"`;
        await runAsOtherTransaction(() => query(`${deletion} where "${column}" = $1`, [id]));
        isDeleted = true;
      }
      return result;
    };
    return lease as never;
  });
  const response = await work();
  vi.restoreAllMocks();
  return { response, isDeleted };
}

/** Deletes a row at each point of an operation's transaction at which another caller could delete it. */
async function deleteAtEachRead(
  operation: Operation,
  kind: string,
  id: string,
  input?: Record<string, unknown>,
): Promise<void> {
  const ids = idsFor(operation, world);
  for (let reads = 1, continues = true; continues; reads++) {
    const work = () => call(world.admin, operation, ids, input);
    const { response, isDeleted } = await deleteAfterReads(
      reads,
      DELETABLE[kind] as Deletable,
      id,
      ids,
      work,
    );
    expect(response.status, `after ${reads} reads: ${JSON.stringify(response.body)}`).toBeLessThan(500);
    continues = isDeleted;
  }
}

const mutations = operations.filter(({ procedure }) => procedure._def.type === 'mutation');
const title = ({ method, path }: Operation) => `${method} ${path}`;
/** Placeholder ids, for code that needs only the kinds of ids and makes no calls. */
const anyIds: Ids = new Proxy({}, { get: (_, kind) => String(kind) });

describe('an operation does not fail with a server error when an object in its path is deleted concurrently', () => {
  const named = mutations.flatMap((operation) =>
    operation.pathParameters
      .filter((parameter) => parameter in DELETABLE)
      .map((parameter) => [title(operation), parameter, operation] as const),
  );
  test.for(named)('%s: %s', async ([, parameter, operation]) => {
    await deleteAtEachRead(operation, parameter, idOf(idsFor(operation, world), parameter));
  });
});

describe('an operation does not fail with a server error when an object in its input is deleted concurrently', () => {
  const named = mutations.flatMap((operation) => {
    const fields = inputOf(operation, anyIds).fields.filter(({ kind }) => kind in DELETABLE);
    return [...new Set(fields.map(({ path }) => path))].map(
      (path) => [title(operation), path, operation] as const,
    );
  });
  test.for(named)('%s: %s', async ([, path, operation]) => {
    const ids = idsFor(operation, world);
    const field = inputOf(operation, ids).fields.find((one) => one.path === path) as IdField;
    const id = idOf(ids, field.kind);
    await deleteAtEachRead(operation, field.kind, id, field.withId(id));
  });
});
