import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { kyselyOf } from '../../../routers/base/db.ts';
import { contentsOf } from '../../../routers/placement/contents.query.ts';
import { positionAtEnd } from '../../../routers/placement/siblings.operation.ts';
import { Collection } from '../../../schema/entities/collection.ts';

/** The position at the end of a collection, given by id, or of the organization's root. */
export async function endOf(em: SqlEntityManager, organization: string, parentId: string | undefined) {
  const place = { organization, parent: parentId ?? null };
  return {
    organization,
    parent: parentId === undefined ? null : await em.findOneOrFail(Collection, parentId),
    position: await positionAtEnd(kyselyOf(em), contentsOf(place)),
  };
}
