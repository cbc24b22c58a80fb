import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { ChangeRequest } from '../../schema/entities/change-request.ts';
import type { Space } from '../../schema/entities/space.ts';
import type { ChangeRequestStatus } from '../../schema/enums.ts';
import type { Db } from '../base/db.ts';
import { lockSpace } from '../branches/lock.operation.ts';
import { DomainError } from '../engine/errors.ts';
import { lockRow } from '../sql/lock-row.ts';

export interface LockedChangeRequest {
  space: Space;
  changeRequest: ChangeRequest;
}

/**
 * Locks a change request and its space, the space first.
 * @throws DomainError `not-found` when the space was deleted, `conflict` when the change request was merged.
 */
export async function lockChangeRequest(
  em: SqlEntityManager,
  target: { id: string; space: string },
): Promise<LockedChangeRequest> {
  const space = await lockSpace(em, target.space);
  const changeRequest = await lockRow(em, ChangeRequest, target.id, 'change request');
  if (changeRequest.status === 'merged') throw merged();
  return { space, changeRequest };
}

/** @throws DomainError `conflict` unless the change request is a draft or open. */
export function requireActive({ status }: { status: ChangeRequestStatus }): void {
  if (status === 'draft' || status === 'open') return;
  if (status === 'merged') throw merged();
  throw new DomainError('conflict', `The change request is ${status}.`);
}

/** Wraps a loader of a change request, so that it throws unless the change request can be changed. */
export const loadActive =
  <Loaded extends { changeRequest: { status: ChangeRequestStatus } }>(load: (db: Db) => Promise<Loaded>) =>
  async (db: Db): Promise<Loaded> => {
    const loaded = await load(db);
    requireActive(loaded.changeRequest);
    return loaded;
  };

const merged = () =>
  new DomainError('conflict', 'The change request is merged and can no longer be changed.');
