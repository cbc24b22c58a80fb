import { type DefaultLevel, ROLES, type Role } from '../../schema/enums.ts';

/**
 * The rules of who may see and do what, implemented once more and as simply as possible: everything is computed by walking
 * the tree, nothing is stored twice, and there is no database.
 */

export interface Request {
  id: string;
  status: 'draft' | 'open' | 'archived';
  creator: string;
  contributors: Set<string>;
  reviewers: Set<string>;
}

export interface Content {
  kind: 'collection' | 'space';
  id: string;
  organization: string;
  parent: Content | null;
  defaultLevel: DefaultLevel | null;
  deleted: boolean;
  requests: Request[];
}

interface Grant {
  content: Content;
  /** The id of a user or of a team. */
  to: string;
  role: Role;
}

export interface World {
  /** By organization and user: the role, null for a guest. */
  members: Map<string, Map<string, Role | null>>;
  teams: { id: string; organization: string; users: Set<string> }[];
  /** In order of creation. */
  contents: Content[];
  /** All contents; those of one location are in order. */
  arranged: Content[];
  grants: Grant[];
}

const reaches = (level: Role | null | undefined, needed: Role): boolean =>
  level !== null && level !== undefined && ROLES.indexOf(level) <= ROLES.indexOf(needed);

export const lineOf = (content: Content): Content[] =>
  content.parent ? [content, ...lineOf(content.parent)] : [content];

export function levelOf(world: World, user: string, content: Content): Role | null {
  const role = world.members.get(content.organization)?.get(user);
  if (role === undefined) return null;
  if (role === 'admin') return 'admin';
  const line = lineOf(content);
  const levels = world.grants
    .filter((grant) => line.includes(grant.content) && namesOf(world, user).has(grant.to))
    .map((grant) => grant.role);
  const setter = line.find(({ defaultLevel }) => defaultLevel !== 'inherit');
  if (role !== null) {
    const given = setter ? setter.defaultLevel : role;
    if (given !== null) levels.push(given as Role);
  }
  return ROLES.find((level) => levels.includes(level)) ?? null;
}

/** A user and their teams. */
const namesOf = (world: World, user: string): Set<string> =>
  new Set([user, ...world.teams.filter(({ users }) => users.has(user)).map(({ id }) => id)]);

export const living = (world: World, organization: string, kind: Content['kind']): Content[] =>
  world.contents.filter((one) => one.organization === organization && one.kind === kind && !one.deleted);

export const childrenOf = (world: World, organization: string, parent: Content | null): Content[] =>
  world.arranged.filter((one) => one.organization === organization && one.parent === parent && !one.deleted);

const mayCreateAt = (world: World, user: string, organization: string, parent: Content | null): boolean =>
  parent
    ? parent.organization === organization && reaches(levelOf(world, user, parent), 'create')
    : reaches(world.members.get(organization)?.get(user), 'create');

/** Places content at the end of its location, or directly before or after a sibling. */
function arrange(world: World, content: Content, beside?: { side: 'before' | 'after'; of: Content }): void {
  world.arranged = world.arranged.filter((one) => one !== content);
  const index = beside ? world.arranged.indexOf(beside.of) + (beside.side === 'after' ? 1 : 0) : Infinity;
  world.arranged.splice(Math.min(index, world.arranged.length), 0, content);
}

export function create(world: World, made: Omit<Content, 'deleted' | 'requests'>): Content {
  const content = { ...made, deleted: false, requests: [] };
  world.contents.push(content);
  arrange(world, content);
  return content;
}

/** Without `parent` it stays where it is. Each of these functions returns whether the step is allowed, and if so, performs it. */
export function move(
  world: World,
  user: string,
  content: Content,
  to: { parent: Content | null | undefined; before: Content | undefined },
): boolean {
  const parent = to.parent === undefined ? content.parent : to.parent;
  if (content.deleted || !reaches(levelOf(world, user, content), 'create')) return false;
  if (to.parent === undefined && to.before === undefined) return false;
  if (!mayCreateAt(world, user, content.organization, parent)) return false;
  if (parent && lineOf(parent).includes(content)) return false;
  const there = childrenOf(world, content.organization, parent);
  if (to.before) {
    const isThere = there.includes(to.before) && to.before !== content;
    if (!isThere || levelOf(world, user, to.before) === null) return false;
  }
  const next = there[there.indexOf(content) + 1];
  if (parent === content.parent && next === to.before) return false;
  content.parent = parent;
  arrange(world, content, to.before && { side: 'before', of: to.before });
  return true;
}

export function transfer(world: World, user: string, content: Content, organization: string): boolean {
  if (content.deleted || levelOf(world, user, content) !== 'admin') return false;
  if (organization === content.organization) return false;
  if (!mayCreateAt(world, user, organization, null)) return false;
  const moved = world.contents.filter((one) => lineOf(one).includes(content));
  content.parent = null;
  for (const one of moved) one.organization = organization;
  arrange(world, content);
  world.grants = world.grants.filter((grant) => !moved.includes(grant.content));
  const members = world.members.get(organization);
  for (const { reviewers } of moved.flatMap(({ requests }) => requests))
    for (const reviewer of reviewers) if (!members?.has(reviewer)) reviewers.delete(reviewer);
  return true;
}

export function duplicate(world: World, user: string, space: Content): ((id: string) => void) | undefined {
  const level = levelOf(world, user, space);
  if (space.deleted || !level || !reaches(level, 'create')) return undefined;
  if (!mayCreateAt(world, user, space.organization, space.parent)) return undefined;
  return (id) => {
    const copy = create(world, { ...space, id });
    arrange(world, copy, { side: 'after', of: space });
    if (!reaches(levelOf(world, user, copy), level))
      world.grants.push({ content: copy, to: user, role: level });
  };
}

/** Gives a space what it inherits from a collection that is about to be deleted, and from those in it. */
function keepAccess(world: World, space: Content, deleted: Content): void {
  const defaultOf = (line: Content[]) =>
    line.find(({ defaultLevel }) => defaultLevel !== 'inherit')?.defaultLevel;
  const line = lineOf(space);
  const inherited = defaultOf(line);
  const remaining = deleted.parent ? defaultOf(lineOf(deleted.parent)) : undefined;
  if (space.defaultLevel === 'inherit' && inherited !== remaining && inherited !== undefined)
    space.defaultLevel = inherited;
  const gone = line.slice(0, line.indexOf(deleted) + 1);
  const given = world.grants.filter((grant) => gone.includes(grant.content));
  for (const to of new Set(given.map((grant) => grant.to))) {
    const roles = given.filter((grant) => grant.to === to).map(({ role }) => role);
    const role = ROLES.find((one) => roles.includes(one)) as Role;
    world.grants = world.grants.filter((grant) => grant.content !== space || grant.to !== to);
    world.grants.push({ content: space, to, role });
  }
}

export function remove(world: World, user: string, content: Content): boolean {
  if (content.deleted || levelOf(world, user, content) !== 'admin') return false;
  const inside = world.contents.filter((one) => one !== content && lineOf(one).includes(content));
  const gone = [content, ...inside].filter(({ kind }) => kind === 'collection');
  for (const space of inside.filter(({ kind }) => kind === 'space')) keepAccess(world, space, content);
  for (const space of [content, ...inside].filter(({ kind }) => kind === 'space')) {
    space.deleted = true;
    if (space !== content) space.parent = content.parent;
  }
  world.contents = world.contents.filter((one) => !gone.includes(one));
  world.arranged = world.arranged.filter((one) => !gone.includes(one));
  world.grants = world.grants.filter((grant) => !gone.includes(grant.content));
  return true;
}

export function restore(world: World, user: string, space: Content): boolean {
  if (!space.deleted || levelOf(world, user, space) !== 'admin') return false;
  space.deleted = false;
  arrange(world, space);
  return true;
}

export function setDefault(
  world: World,
  user: string,
  content: Content,
  level: DefaultLevel | null,
): boolean {
  if (content.deleted || levelOf(world, user, content) !== 'admin') return false;
  content.defaultLevel = level;
  return true;
}

export function give(world: World, user: string, content: Content, to: string, role: Role | null): boolean {
  if (content.deleted || levelOf(world, user, content) !== 'admin') return false;
  const isTeam = world.teams.some((team) => team.id === to && team.organization === content.organization);
  if (!isTeam && !world.members.get(content.organization)?.has(to)) return false;
  const others = world.grants.filter((grant) => grant.content !== content || grant.to !== to);
  world.grants = role ? [...others, { content, to, role }] : others;
  return true;
}

export const mayEdit = (world: World, user: string, space: Content): boolean =>
  !space.deleted && reaches(levelOf(world, user, space), 'edit');

export function ask(world: World, user: string, space: Content, request: Request, whom: string): boolean {
  if (!mayEdit(world, user, space) || request.status === 'archived') return false;
  if (levelOf(world, whom, space) === null) return false;
  request.reviewers.add(whom);
  return true;
}

export function leave(world: World, organization: string, user: string): void {
  world.members.get(organization)?.delete(user);
  const isHere = (content: Content) => content.organization === organization;
  world.grants = world.grants.filter((grant) => grant.to !== user || !isHere(grant.content));
  for (const team of world.teams) if (team.organization === organization) team.users.delete(user);
  for (const { requests } of world.contents.filter(isHere))
    for (const { reviewers } of requests) reviewers.delete(user);
}
