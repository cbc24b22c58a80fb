import { expect } from 'vitest';
import type { Client } from '../helpers/service.ts';
import { type Content, childrenOf, levelOf, lineOf, living, type World } from './world.ts';

interface Stage {
  model: World;
  people: { id: string; as: Client }[];
}

/** A whole list, read in small pages, which must add up to its count. */
async function all<Item>(as: Client, path: string, of: (item: never) => Item): Promise<Item[] | number> {
  const items: Item[] = [];
  for (let next = ''; ; ) {
    const { status, body } = await as.get(`${path}${path.includes('?') ? '&' : '?'}limit=3${next}`);
    if (status !== 200) return status;
    items.push(...body.items.map(of));
    if (body.next) next = `&page=${encodeURIComponent(body.next.page)}`;
    else {
      expect(body.count, path).toBe(items.length);
      return items;
    }
  }
}

const newestFirst = (ids: string[]) => ids.sort().reverse();
const idsOf = (contents: readonly { id: string }[]) => contents.map(({ id }) => id);

/** Reads every list as every user, and compares it with the model. */
export async function expectSameLists({ model, people }: Stage): Promise<void> {
  await Promise.all(
    people.flatMap((person) =>
      [...model.members.keys()].map((organization) => expectSameIn(model, people, person, organization)),
    ),
  );
}

async function expectSameIn(
  model: World,
  people: Stage['people'],
  { id: me, as }: Stage['people'][number],
  organization: string,
): Promise<void> {
  const at = `/orgs/${organization}`;
  const members = model.members.get(organization) as Map<string, string | null>;
  const role = members.get(me);
  const same = async (path: string, expected: unknown, of: (item: never) => unknown) => {
    const shown = await all(as, path, of);
    expect(shown, `${path} as ${role}`).toEqual(role === undefined ? 404 : expected);
  };
  const id = (item: { id: string }) => item.id;
  const sees = (user: string) => (content: Content) => levelOf(model, user, content) !== null;
  const spaces = living(model, organization, 'space');
  const collections = living(model, organization, 'collection');
  const mine = spaces.filter(sees(me));

  const asShown = ({ id, defaultLevel, parent }: { id: string; defaultLevel: unknown; parent?: unknown }) => [
    id,
    defaultLevel,
    parent,
  ];
  const asKept = (content: Content) => [content.id, content.defaultLevel, content.parent?.id];
  const byId = (one: unknown[], other: unknown[]) => (String(one[0]) < String(other[0]) ? 1 : -1);
  await same(`${at}/spaces`, mine.map(asKept).sort(byId), asShown);
  await same(`${at}/collections`, collections.filter(sees(me)).map(asKept).sort(byId), asShown);
  const roots = childrenOf(model, organization, null);
  const rootCollections = roots.filter((one) => one.kind === 'collection' && sees(me)(one));
  await same(`${at}/collections?nested=false`, idsOf(rootCollections), id);

  const requests = mine.flatMap((space) => space.requests);
  const list = `${at}/change-requests`;
  const open = requests.filter(({ status }) => status === 'open');
  await same(list, newestFirst(idsOf(open)), id);
  await same(`${list}?status=all`, newestFirst(idsOf(requests)), id);
  for (const { id: user } of people) {
    const named = {
      creator: requests.filter(({ creator }) => creator === user),
      contributor: requests.filter(({ contributors }) => contributors.has(user)),
      requestedReviewer: requests.filter(({ reviewers }) => reviewers.has(user)),
    };
    for (const [filter, expected] of Object.entries(named))
      await same(`${list}?status=all&${filter}=${user}`, newestFirst(idsOf(expected)), id);
  }

  for (const { id: user } of people) {
    const isShown = members.has(user) && (user === me || (role !== null && role !== undefined));
    const common = mine.filter(sees(user)).map((space) => [space.id, levelOf(model, user, space)]);
    const ofMember = `${at}/members/${user}`;
    const levels = (item: { space: { id: string }; permission: string }) => [item.space.id, item.permission];
    await same(`${ofMember}/spaces`, isShown ? common.sort(byId) : 404, levels);
    const { status, body } = await as.get(ofMember);
    expect(status, ofMember).toBe(isShown && role !== undefined ? 200 : 404);
    if (status === 200) expect(body.spaces, ofMember).toBe(common.length);
  }
  if (role !== null) {
    const reached = (team: World['teams'][number]) =>
      mine.filter((space) =>
        model.grants.some(({ to, content }) => to === team.id && lineOf(space).includes(content)),
      ).length;
    const teams = model.teams.filter((team) => team.organization === organization);
    const expected = teams.map((team) => [team.id, team.users.size, reached(team)]).sort(byId);
    await same(`${at}/teams`, expected, (team: { id: string; members: number; spaces: number }) => [
      team.id,
      team.members,
      team.spaces,
    ]);
  }
  for (const content of [...spaces, ...collections]) await expectSameOn(model, { id: me, as }, content);
}

async function expectSameOn(
  model: World,
  { id: me, as }: Stage['people'][number],
  content: Content,
): Promise<void> {
  const { organization } = content;
  const path = `/${content.kind}s/${content.id}`;
  const level = levelOf(model, me, content);
  const own = await as.get(path);
  expect(own.status, path).toBe(level === null ? 404 : 200);
  const same = async (below: string, expected: unknown, of: (item: never) => unknown, sorted = false) => {
    const shown = await all(as, path + below, of);
    const inOrder = sorted && Array.isArray(shown) ? shown.sort() : shown;
    expect(inOrder, `${path}${below}`).toEqual(level === null ? 404 : expected);
  };
  const id = (item: { id: string }) => item.id;
  if (level !== null) expect(own.body).toMatchObject({ organization, defaultLevel: content.defaultLevel });
  if (content.kind === 'collection') {
    const inside = childrenOf(model, organization, content).filter(({ kind }) => kind === 'space');
    await same('/spaces', idsOf(inside.filter((space) => levelOf(model, me, space) !== null)), id);
  } else {
    const { requests } = content;
    const count = (status: string) => requests.filter((request) => request.status === status).length;
    const counters = { changeRequestsOpen: count('open'), changeRequestsDraft: count('draft') };
    if (level !== null) expect(own.body).toMatchObject({ changeRequests: requests.length, ...counters });
    await same('/change-requests?status=all', newestFirst(idsOf(requests)), id);
    for (const request of requests) {
      const users = [...request.reviewers].sort();
      const of = (item: { user: { id: string } }) => item.user.id;
      await same(`/change-requests/${request.id}/requested-reviewers`, users, of, true);
    }
  }
  const decides = level === 'admin';
  const given = model.grants.filter((grant) => grant.content === content);
  const isTeam = (one: string) => model.teams.some((team) => team.id === one);
  const pairs = (grants: typeof given) => grants.map(({ to, role }) => `${to} ${role}`).sort();
  const users = pairs(given.filter(({ to }) => !isTeam(to)));
  const teams = pairs(given.filter(({ to }) => isTeam(to)));
  const byUser = (item: { user: { id: string }; permission: string }) => `${item.user.id} ${item.permission}`;
  const byTeam = (item: { team: { id: string }; permission: string }) => `${item.team.id} ${item.permission}`;
  const everyone = [...(model.members.get(organization)?.keys() ?? [])].flatMap((user) => {
    const theirs = levelOf(model, user, content);
    return theirs ? [`${user} ${theirs}`] : [];
  });
  await same('/permissions/users', decides ? users : 403, byUser, true);
  await same('/permissions/teams', decides ? teams : 403, byTeam, true);
  await same('/permissions/aggregate', decides ? everyone.sort() : 403, byUser, true);
}
