import { Translation } from '../../schema/entities/translation.ts';
import type { DefaultLevel, Role } from '../../schema/enums.ts';
import { columnsOf } from '../../schema/rows.ts';
import { type Grants, includes, levelOn, type Membership } from '../access/levels.ts';
import type { OrganizationAccess } from '../access/load.query.ts';
import { viewable } from '../access/visible.query.ts';
import type { Db } from '../base/db.ts';

/** The translations of an organization whose two spaces a member may view; admins also see those of deleted spaces. */
export function translationsVisibleTo(db: Db, { organization, member, grants }: OrganizationAccess) {
  const all = db
    .selectFrom('translation')
    .innerJoin('space as source_space', 'source_space.id', 'translation.source_id')
    .innerJoin('space as result_space', 'result_space.id', 'translation.result_id')
    .where('translation.organization_id', '=', organization.id);
  if (member.role === 'admin') return all;
  const visible = db
    .selectFrom('space')
    .select('space.id')
    .where('space.organization_id', '=', organization.id)
    .where('space.deleted_at', 'is', null)
    .where(viewable('space', member, [...grants.keys()]));
  // guard: translation-visible
  return all.where('translation.source_id', 'in', visible).where('translation.result_id', 'in', visible);
}

/** Selects translations, and the columns that decide the caller's level on their spaces. */
export const withSpaces = (translations: ReturnType<typeof translationsVisibleTo>) =>
  translations
    .select(columnsOf(Translation))
    .select([
      'source_space.ancestors as sourceAncestors',
      'source_space.effective_default as sourceDefault',
      'result_space.ancestors as resultAncestors',
      'result_space.effective_default as resultDefault',
    ]);

interface SpacesOfTranslation {
  source: string;
  result: string;
  sourceAncestors: string[];
  sourceDefault: DefaultLevel | null;
  resultAncestors: string[];
  resultDefault: DefaultLevel | null;
}

/** The weaker of a member's levels on the two spaces of a translation; null if they may not view one of them. */
export function levelOnBoth(member: Membership, grants: Grants, row: SpacesOfTranslation): Role | null {
  const { source, result, sourceAncestors, sourceDefault, resultAncestors, resultDefault } = row;
  const onSource = levelOn(member, grants, {
    id: source,
    ancestors: sourceAncestors,
    effectiveDefault: sourceDefault,
  });
  const onResult = levelOn(member, grants, {
    id: result,
    ancestors: resultAncestors,
    effectiveDefault: resultDefault,
  });
  if (onSource === null || onResult === null) return null;
  // guard: translation-edit-both
  return includes(onSource, onResult) ? onResult : onSource;
}
