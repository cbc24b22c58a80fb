import { type DefaultLevel, ROLES, type Role } from '../../schema/enums.ts';

/** Whether a level is at least `needed`; false for null, which stands for no access. */
export const includes = (level: Role | null, needed: Role): boolean =>
  level !== null && ROLES.indexOf(level) <= ROLES.indexOf(needed);

/** The highest of some levels; null if there is none. */
function highest(levels: Iterable<Role | null>): Role | null {
  let best: Role | null = null;
  for (const level of levels) if (level !== null && (best === null || includes(level, best))) best = level;
  return best;
}

/** A caller's membership in an organization; a guest has no role. */
export interface Membership {
  role: Role | null;
}

/** A caller's grants in one organization: the levels granted, by the id of a collection, space or site. */
export type Grants = ReadonlyMap<string, Role[]>;

/** The default access to a collection, space or site. */
export interface AccessDefault {
  /** The default level set by the nearest ancestor; `inherit` stands for the member's own role. */
  effectiveDefault: DefaultLevel | null;
}

/**
 * A caller's level on a collection or space: the highest of its default level and the grants on it or on what contains it.
 * Admins of the organization always have `admin`; guests do not get the default. Null if the caller may not view it.
 */
export function effectiveLevel(
  member: Membership | null,
  content: AccessDefault,
  grants: readonly Role[],
): Role | null {
  if (!member) return null;
  if (member.role === 'admin') return 'admin';
  const { effectiveDefault } = content;
  const byDefault =
    member.role === null ? null : effectiveDefault === 'inherit' ? member.role : effectiveDefault;
  return highest([byDefault, ...grants]);
}

/** A collection, space or site with the ids of the collections that contain it. */
export interface ContentAncestry {
  id: string;
  ancestors: string[];
  effectiveDefault: DefaultLevel | null;
}

/** The caller's level on a listed item, from the grants that were loaded with the organization. */
export function levelOn(member: Membership, grants: Grants, content: ContentAncestry): Role | null {
  const roles =
    grants.size === 0 ? [] : [content.id, ...content.ancestors].flatMap((id) => grants.get(id) ?? []);
  return effectiveLevel(member, content, roles);
}
