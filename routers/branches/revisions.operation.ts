import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Revision, type RevisionGit } from '../../schema/entities/revision.ts';
import type { RevisionType } from '../../schema/enums.ts';
import { kyselyOf } from '../base/db.ts';
import { putEmptyRoot } from '../engine/store/edit.ts';
import { createObjectBuffer } from '../engine/store/objects.ts';
import { objectReader, saveObjects } from './objects.operation.ts';

interface NewRevision {
  /** A new id by default. */
  id?: string;
  space: string;
  root: string;
  type: RevisionType;
  /** The parent revisions; the first is the one that it continues. */
  parents: string[];
  author: string;
  git?: RevisionGit;
}

/** Creates a revision of content whose objects have been saved. The caller makes it active. */
export const createRevision = (em: SqlEntityManager, revision: NewRevision): Revision =>
  em.create(Revision, revision);

/** Saves the root of an empty space and returns its hash. */
export async function saveEmptyRoot(em: SqlEntityManager): Promise<string> {
  const db = kyselyOf(em);
  const buffer = createObjectBuffer(objectReader(db));
  const root = putEmptyRoot(buffer);
  await saveObjects(db, buffer.pending);
  return root;
}
