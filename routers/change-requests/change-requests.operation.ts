import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { ChangeRequest } from '../../schema/entities/change-request.ts';
import type { Space } from '../../schema/entities/space.ts';
import type { ChangeRequestStatus } from '../../schema/enums.ts';
import { newId } from '../../schema/ids.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import type { Document } from '../engine/document/document.ts';
import { DomainError } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { lockReferencedRow } from '../sql/lock-row.ts';
import type { LockedChangeRequest } from './lock.operation.ts';

interface NewChangeRequest {
  /** A new one by default. */
  id?: string;
  subject: string;
  createdBy: string;
  /** The id of the cluster of issues that it addresses. */
  conversationsIssuesCluster?: string | undefined;
  /** Its content, and the revision that it started from: by default, both are the active revision of the space. */
  revision?: string;
  revisionInitial?: string;
}

/** Creates a draft in a locked space. */
export async function createChangeRequest(
  em: SqlEntityManager,
  space: Space,
  {
    id = newId(),
    subject,
    createdBy,
    conversationsIssuesCluster,
    revision = space.revision,
    revisionInitial = revision,
  }: NewChangeRequest,
): Promise<ChangeRequest> {
  const { number } = await adjustCounts(kyselyOf(em), space.id, { all: 1, draft: 1 });
  recordEvent(em, { type: 'change_request.created', space: space.id, changeRequest: id });
  return em.create(ChangeRequest, {
    id,
    space: space.id,
    organization: space.organization,
    // Change requests are never deleted on their own, so their count is the last number.
    number,
    status: 'draft',
    subject,
    createdBy,
    conversationsIssuesCluster: conversationsIssuesCluster ?? null,
    revision,
    revisionInitial,
  });
}

/** A cluster of issues of an organization, by its id. */
export interface ClusterRef {
  organization: string;
  id: string;
}

interface ChangeRequestFields {
  subject?: string | undefined;
  /** Null removes it. */
  description?: Document | null | undefined;
  conversationsIssuesCluster?: string | null | undefined;
}

/**
 * Keeps the cluster of issues that a change request is about to name from being deleted until the end of the transaction.
 * Call it before the change request is locked.
 * @throws DomainError `invalid` if the organization has no such cluster
 */
export async function requireCluster(db: Db, cluster: ClusterRef): Promise<void> {
  // guard: cluster-in-organization
  if (!(await lockReferencedRow(db, 'issues_cluster', cluster)))
    throw new DomainError('invalid', 'The cluster must be one of the organization.', [
      { path: 'conversationsIssuesCluster', message: 'must be a cluster of the organization' },
    ]);
}

/** Sets those of the subject, the description and the cluster of a locked change request that are given. */
export function updateFields(
  em: SqlEntityManager,
  changeRequest: ChangeRequest,
  { subject, description, conversationsIssuesCluster }: ChangeRequestFields,
): void {
  if (subject === undefined && description === undefined && conversationsIssuesCluster === undefined) return;
  if (subject !== undefined) changeRequest.subject = subject;
  if (description !== undefined) changeRequest.description = description;
  if (conversationsIssuesCluster !== undefined)
    changeRequest.conversationsIssuesCluster = conversationsIssuesCluster;
  recordUpdate(em, changeRequest);
}

/** Records that a locked change request has changed other than by a new revision, such as by resolving conflicts in its favor. */
export const recordUpdate = (em: SqlEntityManager, { space, id }: ChangeRequest): void =>
  recordEvent(em, { type: 'change_request.updated', space, changeRequest: id });

/** Sets the status of a locked change request, and updates the counters of its space. */
export async function changeStatus(
  em: SqlEntityManager,
  { space, changeRequest }: LockedChangeRequest,
  status: ChangeRequestStatus,
): Promise<void> {
  if (changeRequest.status === status) return;
  await adjustCounts(kyselyOf(em), space.id, { [changeRequest.status]: -1, [status]: 1 });
  changeRequest.status = status;
  // The merge records an event of its own.
  if (status === 'merged') return;
  const about = { space: space.id, changeRequest: changeRequest.id };
  recordEvent(em, { type: 'change_request.status.updated', ...about, status });
}

/**
 * Adjusts the counts of the change requests of a locked space: of all, and of those with a status. These are not a change of the
 * space, so they bypass the unit of work, which would also set `updatedAt`; a loaded entity keeps the old counts.
 * @returns the number of the latest change request
 */
function adjustCounts(
  db: Db,
  space: string,
  { all = 0, draft = 0, open = 0 }: Partial<Record<'all' | ChangeRequestStatus, number>>,
): Promise<{ number: number }> {
  return db
    .updateTable('space')
    .set({
      change_requests: sql<number>`change_requests + ${all}::int`,
      change_requests_draft: sql<number>`change_requests_draft + ${draft}::int`,
      change_requests_open: sql<number>`change_requests_open + ${open}::int`,
    })
    .where('id', '=', space)
    .returning('change_requests as number')
    .executeTakeFirstOrThrow();
}

/** Records that a user edited the content of a change request. */
export async function recordContribution(
  em: SqlEntityManager,
  changeRequestId: string,
  userId: string,
): Promise<void> {
  const now = new Date();
  await kyselyOf(em)
    .insertInto('change_request_contributor')
    .values({
      change_request_id: changeRequestId,
      user_id: userId,
      count: 1,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['change_request_id', 'user_id']).doUpdateSet((eb) => ({
        count: eb('change_request_contributor.count', '+', 1),
        updated_at: now,
      })),
    )
    .execute();
}
