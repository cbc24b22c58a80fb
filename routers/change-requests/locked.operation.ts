import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { ChangeRequest } from '../../schema/entities/change-request.ts';
import { Space } from '../../schema/entities/space.ts';
import type { ChangeRequestStatus } from '../../schema/enums.ts';
import { kyselyOf } from '../context.ts';
import { DomainError, notFound } from '../engine/errors.ts';

/**
 * A space as it is once nobody else can change its active revision, its counters or its change requests. Not the
 * strongest lock: new revisions only refer to the row, and must not wait for it.
 * @throws DomainError `not-found` when it was deleted since it was read.
 */
export async function lockSpaceContent(em: SqlEntityManager, spaceId: string): Promise<Space> {
  await kyselyOf(em).selectFrom('space').select('id').where('id', '=', spaceId).forNoKeyUpdate().execute();
  const space = await em.findOne(Space, spaceId);
  if (!space || space.deletedAt) throw notFound('space');
  return space;
}

export interface Locked {
  space: Space;
  changeRequest: ChangeRequest;
}

/**
 * A change request with its space, as they are once nobody else can change either: the space is always locked first.
 * @throws DomainError `not-found` when the space was deleted, `conflict` when the change request was merged.
 */
export async function lockChangeRequest(
  em: SqlEntityManager,
  seen: { id: string; space: string },
): Promise<Locked> {
  const space = await lockSpaceContent(em, seen.space);
  await kyselyOf(em)
    .selectFrom('change_request')
    .select('id')
    .where('id', '=', seen.id)
    .forNoKeyUpdate()
    .execute();
  const changeRequest = await em.findOneOrFail(ChangeRequest, seen.id);
  if (changeRequest.status === 'merged')
    throw new DomainError('conflict', 'The change request is merged: it does not change any more.');
  return { space, changeRequest };
}

/** @throws DomainError `conflict` unless the change request is a draft or open. */
export function requireActive({ status }: { status: ChangeRequestStatus }): void {
  if (status === 'draft' || status === 'open') return;
  throw new DomainError('conflict', `The change request is ${status}.`);
}
