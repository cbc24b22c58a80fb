import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Space } from '../../schema/entities/space.ts';
import type { DefaultLevel, EditMode, Language } from '../../schema/enums.ts';
import { newId } from '../../schema/ids.ts';
import type { SpaceMergeRules } from '../../schema/json/merge-rules.ts';
import { inheritedFrom, type Parent } from '../access/inheritance.ts';
import { createRevision } from '../content/revisions.operation.ts';

/** What a space shows before anybody chooses. */
export const DEFAULT_EMOJI = '📘';

interface NewSpace {
  organization: string;
  /** The collection it goes in; null at the root of the organization. */
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
  /** Hash of the root object it starts with: that of another space makes a copy that shares everything. */
  root: string;
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
  } = given;
  const { editMode = 'live', mergeRules = { type: 'inherit' }, defaultLevel = 'inherit' } = given;
  const id = newId();
  const revision = createRevision(em, { space: id, root, type: 'edits', parents: [], author });
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
    revision: revision.id,
  });
}
