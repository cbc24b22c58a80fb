import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Revision, type RevisionGit } from '../../schema/entities/revision.ts';
import type { RevisionType } from '../../schema/enums.ts';
import { kyselyOf } from '../context.ts';
import { putEmptyRoot } from '../engine/store/edit.ts';
import { createObjectBuffer } from '../engine/store/objects.ts';
import { objectReader, saveObjects } from './objects.operation.ts';

interface NewRevision {
  space: string;
  root: string;
  type: RevisionType;
  /** The revisions it was made from; the first is the line it continues. */
  parents: string[];
  author: string;
  git?: RevisionGit;
}

/** Records a state of a space's content whose objects are saved. It becomes active where the caller points at it. */
export const createRevision = (em: SqlEntityManager, revision: NewRevision): Revision =>
  em.create(Revision, revision);

/** Saves the root of a space without content and gives its hash. */
export async function saveEmptyRoot(em: SqlEntityManager): Promise<string> {
  const db = kyselyOf(em);
  const buffer = createObjectBuffer(objectReader(db));
  const root = putEmptyRoot(buffer);
  await saveObjects(db, buffer.pending);
  return root;
}
