import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Collection } from '../../schema/entities/collection.ts';
import type { Space } from '../../schema/entities/space.ts';
import { loadCollection, loadOrganization, loadSpace } from '../access/load.query.ts';
import { requireCurrentParent, requireParent } from '../access/require.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { type ContentLocation, contentsOf } from './contents.query.ts';
import { requireDepthForMove } from './depth.operation.ts';
import { recordPlacement } from './events.operation.ts';
import { updateDescendants } from './inheritance.operation.ts';
import { inheritedFrom } from './inheritance.ts';
import { raisesLevel } from './levels.query.ts';
import type { ContentPointer, Destination } from './placement.api.ts';
import {
  type Anchor,
  alreadyInPosition,
  anchorBetween,
  type Positioned,
  positionIn,
} from './siblings.operation.ts';

/**
 * Moves a locked collection or space within its organization, where the user may create content.
 * @throws DomainError `invalid` for an invalid destination, `conflict` if nothing would change, `forbidden` if it would give the
 *   user a higher level, and as `requireParent`.
 */
export async function move(
  em: SqlEntityManager,
  actor: Actor,
  content: Collection | Space,
  to: Destination,
): Promise<void> {
  if (to.parent === undefined && to.position === undefined)
    throw new DomainError('invalid', 'A move needs a parent, a position, or both.');
  const db = kyselyOf(em);
  const parent =
    to.parent === undefined
      ? await requireCurrentParent(db, actor, content)
      : await requireParent(db, actor, content.organization, to.parent);
  if (parent && (parent.id === content.id || parent.ancestors.includes(content.id)))
    throw new DomainError('invalid', 'A collection cannot be moved into itself.', [
      { path: 'parent', message: 'must be outside the collection' },
    ]);
  if (!('revision' in content)) await requireDepthForMove(db, content, parent);
  const access = await loadOrganization(db, actor, content.organization);
  if (!access) throw notFound('organization');
  // guard: move-levels
  if (await raisesLevel(db, access, content, parent))
    throw new DomainError(
      'forbidden',
      'Moving it there would give you a higher level on it, or on content in it, than you have now.',
    );
  const place = { organization: content.organization, parent: parent?.id ?? null };
  const stays = place.parent === (content.parent ?? null);
  const anchor = await findAnchor(db, actor, place, content.id, to.position);
  const position = await positionIn(db, contentsOf(place), anchor, stays ? content : undefined);
  if (position === undefined) throw alreadyInPosition();
  em.assign(content, { ...inheritedFrom(parent, content.defaultLevel ?? null), position });
  await em.flush();
  recordPlacement(em, content, 'moved', content.organization);
}

/** Moves a collection with its contents. */
export async function moveCollection(
  em: SqlEntityManager,
  actor: Actor,
  collection: Collection,
  to: Destination,
): Promise<void> {
  await move(em, actor, collection, to);
  await updateDescendants(kyselyOf(em), collection.id);
}

/** Finds the sibling to move next to; undefined for the end. If both sides are given, it is the later one. */
async function findAnchor(
  db: Db,
  actor: Actor,
  place: ContentLocation,
  moving: string,
  { before, after }: NonNullable<Destination['position']> = {},
): Promise<Anchor | undefined> {
  const find = async (side: Anchor['side'], pointer: ContentPointer) => {
    const child = await findChild(db, actor, place, pointer);
    if (child && child.id !== moving) return child;
    throw new DomainError('invalid', 'The position refers to content that is not in the destination.', [
      { path: `position.${side}`, message: 'must be other content of the destination' },
    ]);
  };
  const lower = after && (await find('after', after));
  const upper = before && (await find('before', before));
  return anchorBetween(lower, upper);
}

/** The content that a pointer refers to, if it is in the destination and the user may view it. */
async function findChild(
  db: Db,
  actor: Actor,
  place: ContentLocation,
  pointer: ContentPointer,
): Promise<Positioned | undefined> {
  const child =
    pointer.type === 'space'
      ? (await loadSpace(db, actor, pointer.space))?.space
      : (await loadCollection(db, actor, pointer.collection))?.collection;
  if (!child || ('deletedAt' in child && child.deletedAt)) return undefined;
  return child.organization === place.organization && child.parent === place.parent ? child : undefined;
}
