import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Permission } from '../../schema/entities/permission.ts';
import { Space } from '../../schema/entities/space.ts';
import type { DefaultLevel, EditMode, Language, Role } from '../../schema/enums.ts';
import { newId } from '../../schema/ids.ts';
import type { SpaceMergeRules } from '../../schema/json/merge-rules.ts';
import { includes } from '../access/levels.ts';
import { loadSpace } from '../access/load.query.ts';
import { copyImportBranches } from '../branches/import-branches.operation.ts';
import { createRevision } from '../branches/revisions.operation.ts';
import { copyPageConditions } from '../conditions/page-conditions.operation.ts';
import { type Actor, kyselyOf } from '../context.ts';
import { recordEvent } from '../events/record.operation.ts';
import { contentsOf } from '../placement/contents.query.ts';
import { parentOf } from '../placement/inheritance.operation.ts';
import { inheritedFrom, type Parent } from '../placement/inheritance.ts';
import { positionAtEnd, positionIn } from '../placement/siblings.operation.ts';

/** The longest title, in code points. */
export const TITLE_LENGTH = 50;

/** The default emoji of a space. */
export const DEFAULT_EMOJI = '📘';

interface NewSpace {
  /** New ones by default. */
  ids?: SpaceIds | undefined;
  organization: string;
  /** The parent collection; null at the root of the organization. */
  parent: Parent | null;
  position: string;
  title: string;
  emoji?: string | undefined;
  icon?: string | null | undefined;
  language?: Language | null | undefined;
  editMode?: EditMode | undefined;
  mergeRules?: SpaceMergeRules;
  defaultLevel?: DefaultLevel | null;
  author: string;
  /** Hash of its first root object: that of another space makes a copy that shares everything. */
  root: string;
}

/** The ids of a space and of its first revision. */
export interface SpaceIds {
  id: string;
  revision: string;
}

/** Creates a space with its first revision. */
export function createSpace(em: SqlEntityManager, given: NewSpace): Space {
  const {
    organization,
    parent,
    position,
    title,
    emoji = DEFAULT_EMOJI,
    icon,
    language,
    author,
    root,
    ids = { id: newId(), revision: newId() },
  } = given;
  const { editMode = 'live', mergeRules = { type: 'inherit' }, defaultLevel = 'inherit' } = given;
  const { id, revision } = ids;
  createRevision(em, { id: revision, space: id, root, type: 'edits', parents: [], author });
  recordEvent(em, { type: 'space.created', space: id, organization, actor: author });
  return em.create(Space, {
    id,
    organization,
    ...inheritedFrom(parent, defaultLevel),
    defaultLevel,
    position,
    title,
    emoji,
    icon,
    language,
    editMode,
    mergeRules,
    visibility: 'private',
    revision,
  });
}

/** Sets the default level of a locked space. */
export async function setSpaceDefaultLevel(
  em: SqlEntityManager,
  space: Space,
  defaultLevel: DefaultLevel | null,
): Promise<void> {
  em.assign(space, { defaultLevel, ...inheritedFrom(await parentOf(em, space), defaultLevel) });
}

/** A title cut to the maximum length, in code points. */
const cut = (title: string) => [...title].slice(0, TITLE_LENGTH).join('');

/**
 * Copies a locked space with its content, right after it, but without the grants on it. The user keeps the level that
 * they have on the original.
 * @returns the copy, and the actor's level on it.
 */
export async function duplicateSpace(
  em: SqlEntityManager,
  { actor, level }: { actor: Actor; level: Role },
  original: Space,
): Promise<{ copy: Space; level: Role }> {
  const db = kyselyOf(em);
  const { organization, emoji, icon, language, editMode, mergeRules, defaultLevel } = original;
  const parent = await parentOf(em, original);
  const place = { organization, parent: parent?.id ?? null };
  const position = await positionIn(db, contentsOf(place), { side: 'after', child: original });
  const { root } = await db
    .selectFrom('revision')
    .select('root')
    .where('id', '=', original.revision)
    .executeTakeFirstOrThrow();
  const copy = createSpace(em, {
    organization,
    parent,
    position: position as string,
    title: cut(`Copy of ${original.title}`),
    emoji,
    icon,
    language,
    editMode,
    mergeRules,
    defaultLevel: defaultLevel ?? null,
    author: actor.user.id,
    root,
  });
  await copyImportBranches(em, { original: original.id, copy: copy.id, author: actor.user.id });
  await em.flush();
  await copyPageConditions(db, { original: original.id, copy: copy.id });
  const inherited = (await loadSpace(db, actor, copy.id))?.level ?? null;
  if (inherited && includes(inherited, level)) return { copy, level: inherited };
  em.create(Permission, { organization, space: copy.id, user: actor.user.id, role: level });
  return { copy, level };
}

/** Restores a deleted locked space, at the end of its parent or of the nearest ancestor that still exists. */
export async function restoreSpace(em: SqlEntityManager, space: Space): Promise<void> {
  const place = { organization: space.organization, parent: space.parent ?? null };
  em.assign(space, { deletedAt: null, position: await positionAtEnd(kyselyOf(em), contentsOf(place)) });
  recordEvent(em, { type: 'space.restored', space: space.id });
}

/** Deletes a locked space, so that it can be restored for some time. */
export function deleteSpace(em: SqlEntityManager, space: Space): void {
  space.deletedAt = new Date();
  recordEvent(em, { type: 'space.deleted', space: space.id });
}
