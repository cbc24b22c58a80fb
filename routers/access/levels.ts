import { type DefaultLevel, ROLES, type Role } from '../../schema/enums.ts';

/** Whether a level includes what `needed` allows; no level includes nothing. */
export const includes = (level: Role | null, needed: Role): boolean =>
  level !== null && ROLES.indexOf(level) <= ROLES.indexOf(needed);

/** The strongest of some levels, or null if there is none. */
function strongest(levels: Iterable<Role | null>): Role | null {
  let best: Role | null = null;
  for (const level of levels) if (level !== null && (best === null || includes(level, best))) best = level;
  return best;
}

/** A caller's place in an organization; a guest has no role. */
export interface Membership {
  role: Role | null;
}

/** A caller's grants in one organization: the levels granted, by the id of a collection, space or site. */
export type Grants = ReadonlyMap<string, Role[]>;

/** What decides who may do what on a collection, space or site. */
export interface AccessDefault {
  /** The default level set by the nearest ancestor; `inherit` stands for the member's own role. */
  effectiveDefault: DefaultLevel | null;
}

/**
 * The level of a caller on a collection or space: the strongest of admin for an organization admin, the grants on it or
 * above it, and its default level. Guests get no default. Null means that the caller may not view it.
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
  return strongest([byDefault, ...grants]);
}

/** A collection, space or site, and what stands above it. */
export interface ContentAncestry {
  id: string;
  ancestors: string[];
  effectiveDefault: DefaultLevel | null;
}

/** The caller's level on a row of a list, from the grants loaded with the organization. */
export function levelOn(member: Membership, grants: Grants, content: ContentAncestry): Role | null {
  const roles =
    grants.size === 0 ? [] : [content.id, ...content.ancestors].flatMap((id) => grants.get(id) ?? []);
  return effectiveLevel(member, content, roles);
}
