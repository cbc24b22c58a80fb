import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { ChangeRequest } from '../../schema/entities/change-request.ts';
import { ImportBranch } from '../../schema/entities/import-branch.ts';
import type { Space } from '../../schema/entities/space.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import type { Db } from '../base/db.ts';
import { lockSpace } from '../branches/lock.operation.ts';
import { readConflicts } from '../change-requests/conflicts.operation.ts';
import type { OpenConflict } from '../change-requests/pull.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { lockRow } from '../sql/lock-row.ts';
import type { ImportBase } from './import-base.query.ts';

/** Another import of the same source has finished first, so the plan of this one is out of date. */
export class ConcurrentImportError extends DomainError {
  override readonly name = 'ConcurrentImportError';

  constructor() {
    super('conflict', 'The same source was imported at the same time; import again.');
  }
}

/** What an import merges into: the space, and the state of its earlier imports of the source. */
export interface ImportState {
  space: Pick<Row<Space>, 'id' | 'revision' | 'editMode' | 'changeRequests'>;
  /** Undefined before the first import of a source. */
  branch?: Row<ImportBranch> | undefined;
  /** The change request with what was not merged into the space. */
  changeRequest?: Row<ChangeRequest> | undefined;
  /** Its unresolved conflicts. */
  recorded: readonly OpenConflict[];
}

/** The parts of the state that a merge depends on. */
export const factsOf = ({ space, branch, changeRequest }: ImportState) => [
  space.revision,
  space.editMode,
  branch?.revisionMerged,
  branch?.changeRequest,
  changeRequest?.status,
  changeRequest?.revision,
];

/**
 * Reads what an import merges into.
 * @throws DomainError `not-found` for a deleted space, and ConcurrentImportError if the source was imported since `base` was read
 */
export async function readImportState(
  db: Db,
  spaceId: string,
  source: string,
  base: ImportBase,
): Promise<ImportState> {
  const space = await db
    .selectFrom('space')
    .select(['id', 'revision_id as revision', 'edit_mode as editMode', 'change_requests as changeRequests'])
    .where('id', '=', spaceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!space) throw notFound('space');
  const branch = await db
    .selectFrom('import_branch')
    .select(columnsOf(ImportBranch))
    .where('space_id', '=', spaceId)
    .where('source', '=', source)
    .executeTakeFirst();
  if (branch?.id !== base.branch || (branch && branch.revision !== base.revision?.id))
    throw new ConcurrentImportError();
  if (!branch?.changeRequest) return { space, branch, recorded: [] };
  const changeRequest = await db
    .selectFrom('change_request')
    .select(columnsOf(ChangeRequest))
    .where('id', '=', branch.changeRequest)
    .executeTakeFirstOrThrow();
  return { space, branch, changeRequest, recorded: await readConflicts(db, changeRequest.id) };
}

/** The locked rows that an import changes. */
export interface LockedImport {
  space: Space;
  branch: ImportBranch | null;
  changeRequest: ChangeRequest | undefined;
}

/** Locks a space and the change request of an import; the branch of the source is protected by the lock on the space. */
export async function lockImport(
  em: SqlEntityManager,
  spaceId: string,
  source: string,
): Promise<LockedImport> {
  const space = await lockSpace(em, spaceId);
  const branch = await em.findOne(ImportBranch, { space: spaceId, source });
  const changeRequest = branch?.changeRequest
    ? await lockRow(em, ChangeRequest, branch.changeRequest, 'change request')
    : undefined;
  return { space, branch, changeRequest };
}
