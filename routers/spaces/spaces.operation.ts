import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Permission } from '../../schema/entities/permission.ts';
import { Space } from '../../schema/entities/space.ts';
import type { DefaultLevel, EditMode, Language, Role } from '../../schema/enums.ts';
import { newId } from '../../schema/ids.ts';
import type { SpaceMergeRules } from '../../schema/json/merge-rules.ts';
import { includes } from '../access/levels.ts';
import { loadSpace } from '../access/load.query.ts';
import { kyselyOf } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';
import { copyImportBranches } from '../branches/import-branches.operation.ts';
import { createRevision } from '../branches/revisions.operation.ts';
import { copyPageConditions } from '../conditions/page-conditions.operation.ts';
import { copyEarlierSlugs } from '../earlier-paths/earlier-slugs.operation.ts';
import { firstCharacters } from '../engine/text.ts';
import { recordEvent } from '../events/record.operation.ts';
import { contentsOf } from '../placement/contents.query.ts';
import { parentOf } from '../placement/inheritance.operation.ts';
import { inheritedFrom, type Parent } from '../placement/inheritance.ts';
import { positionAtEnd, positionIn } from '../placement/siblings.operation.ts';

/** The maximum length of a title, in code points. */
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
  /** The hash of its first root object: with that of another space, it is a copy that shares all objects. */
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

/** The fields that a space made from another one does not copy. */
interface DerivedSpace {
  title: string;
  language?: Language | null | undefined;
  /** The hash of its first root object. */
  root: string;
}

/**
 * Copies a locked space with its content, directly after it, but without the grants on it. The user keeps the level that
 * they have on the original.
 * @returns the copy, and the actor's level on it.
 */
export async function duplicateSpace(
  em: SqlEntityManager,
  user: { actor: Actor; level: Role },
  original: Space,
): Promise<{ copy: Space; level: Role }> {
  const db = kyselyOf(em);
  const { root } = await db
    .selectFrom('revision')
    .select('root')
    .where('id', '=', original.revision)
    .executeTakeFirstOrThrow();
  const title = `Copy of ${original.title}`;
  const copy = await createSpaceAfter(em, user, original, { title, language: original.language, root });
  await copyImportBranches(em, { original: original.id, copy: copy.id, author: user.actor.user.id });
  await em.flush();
  // guard: page-conditions-copied
  await copyPageConditions(db, { original: original.id, copy: copy.id });
  // A copy may take the place of the original on a site, or be the next version there.
  // guard: earlier-slugs-copied
  await copyEarlierSlugs(db, { original: original.id, copy: copy.id });
  return { copy, level: await preserveLevel(em, user, copy) };
}

/** Creates a space directly after a locked one, with the same settings and default access. */
export async function createSpaceAfter(
  em: SqlEntityManager,
  { actor }: { actor: Actor },
  original: Space,
  { title, language, root }: DerivedSpace,
): Promise<Space> {
  const { organization, emoji, icon, editMode, mergeRules, defaultLevel } = original;
  const parent = await parentOf(em, original);
  const place = { organization, parent: parent?.id ?? null };
  const position = await positionIn(kyselyOf(em), contentsOf(place), { side: 'after', child: original });
  return createSpace(em, {
    organization,
    parent,
    position: position as string,
    title: firstCharacters(title, TITLE_LENGTH),
    emoji,
    icon,
    language,
    editMode,
    mergeRules,
    defaultLevel: defaultLevel ?? null,
    author: actor.user.id,
    root,
  });
}

/**
 * Grants a user the level on a new space that they have on the original, unless they inherit it.
 * @returns their level on it
 */
export async function preserveLevel(
  em: SqlEntityManager,
  { actor, level }: { actor: Actor; level: Role },
  { id: space, organization }: Space,
): Promise<Role> {
  const inherited = (await loadSpace(kyselyOf(em), actor, space))?.level ?? null;
  if (inherited && includes(inherited, level)) return inherited;
  em.create(Permission, { organization, space, user: actor.user.id, role: level });
  return level;
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
