import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Space } from '../../schema/entities/space.ts';
import type { DefaultLevel, EditMode, Language } from '../../schema/enums.ts';
import { newId } from '../../schema/ids.ts';
import { createRevision } from '../content/revisions.operation.ts';

interface NewSpace {
  organization: string;
  /** The collection it goes in, with what it hands down; null at the root of the organization. */
  parent: { id: string; ancestors: string[]; effectiveDefault: DefaultLevel | null } | null;
  position: string;
  title: string;
  emoji: string;
  language?: Language;
  editMode?: EditMode;
  author: string;
  /** Hash of the root object it starts with: that of another space makes a copy that shares everything. */
  root: string;
}

/** Creates a space with its first revision. */
export function createSpace(em: SqlEntityManager, given: NewSpace): Space {
  const { organization, parent, position, title, emoji, language, editMode, author, root } = given;
  const id = newId();
  const revision = createRevision(em, { space: id, root, type: 'edits', parents: [], author });
  return em.create(Space, {
    id,
    organization,
    parent: parent?.id ?? null,
    ancestors: parent ? [...parent.ancestors, parent.id] : [],
    position,
    title,
    emoji,
    language,
    editMode,
    visibility: 'private',
    mergeRules: { type: 'inherit' },
    defaultLevel: 'inherit',
    effectiveDefault: parent ? parent.effectiveDefault : 'inherit',
    revision: revision.id,
  });
}
