import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_LEVELS, ROLES, type Role } from '../../schema/enums.ts';
import { type ApiResponse, type Client, startTestService, type TestService } from '../helpers/service.ts';
import { expectSameLists } from './lists.ts';
import type { Content, World } from './world.ts';
import * as world from './world.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const index = fc.nat({ max: 100 });
const role = fc.option(fc.constantFrom(...ROLES), { freq: 4 });
/** Roles of all users but one, who is an admin of both organizations; non-members of both see nothing of them. */
const people = fc.array(
  fc.record({ first: fc.option(role, { nil: undefined }), second: fc.option(role, { nil: undefined }) }),
  { minLength: 3, maxLength: 3 },
);
/** References are indexes, modulo the number of objects; `flag` chooses between two variants of a step. */
const step = fc.record({
  does: fc.constantFrom(
    ...(['move', 'move', 'move', 'move', 'transfer', 'transfer', 'transfer', 'duplicate'] as const),
    ...(['give', 'give', 'default', 'propose', 'contribute', 'ask', 'ask', 'leave'] as const),
    ...(['delete', 'restore'] as const),
  ),
  // Most steps by users who may do everything succeed.
  actor: fc.oneof(fc.constant(0), index),
  // The first two are collections, unless they were changed.
  what: fc.oneof(fc.nat({ max: 1 }), index),
  where: fc.option(index, { freq: 2 }),
  whom: index,
  level: fc.constantFrom(...DEFAULT_LEVELS, null),
  flag: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const at = <Item>(items: readonly Item[], place: number): Item | undefined => items[place % items.length];

interface Person {
  id: string;
  as: Client;
}
interface Stage {
  model: World;
  organizations: string[];
  people: Person[];
}

/** Two organizations, in the first a collection in a collection; spaces with an open change request in each place. */
async function build(given: typeof people extends fc.Arbitrary<infer Value> ? Value : never): Promise<Stage> {
  const [first, second] = [await service.build.organization(), await service.build.organization()];
  const model: World = { members: new Map(), teams: [], contents: [], arranged: [], grants: [] };
  const all: Person[] = [];
  const roles = [{ first: 'admin' as const, second: 'admin' as const }, ...given];
  for (const organization of [first, second]) {
    model.members.set(organization.id, new Map([[organization.admin.id, 'admin']]));
  }
  for (const { first: inFirst, second: inSecond } of roles) {
    const { id, token } = await service.build.user();
    all.push({ id, as: service.as(token) });
    for (const [organization, own] of [[first.id, inFirst] as const, [second.id, inSecond] as const]) {
      if (own === undefined) continue;
      await service.build.join(organization, id, own);
      model.members.get(organization)?.set(id, own);
    }
  }
  for (const { id: organization } of [first, second]) {
    const users = all.filter(({ id }, i) => i % 2 === 1 && model.members.get(organization)?.has(id));
    const { id } = await service.build.team(organization, { members: users.map((user) => user.id) });
    model.teams.push({ id, organization, users: new Set(users.map((user) => user.id)) });
  }
  const place = async (kind: Content['kind'], parent: Content | null) => {
    const { id } = await service.build[kind](first.id, parent ? { parent: parent.id } : {});
    return world.create(model, { kind, id, organization: first.id, parent, defaultLevel: 'inherit' });
  };
  const outer = await place('collection', null);
  const inner = await place('collection', outer);
  for (const parent of [null, outer, inner, inner]) {
    const space = await place('space', parent);
    const creator = (all[0] as Person).id;
    const { id } = await service.build.changeRequest(space.id, { createdBy: creator, status: 'open' });
    space.requests.push({ id, status: 'open', creator, contributors: new Set(), reviewers: new Set() });
  }
  return { model, organizations: [first.id, second.id], people: all };
}

/** Performs one step over HTTP and in the model, and returns whether it succeeded. */
async function take({ model, organizations, people }: Stage, step: Step): Promise<string | undefined> {
  const { does, level, flag } = step;
  const actor = at(people, step.actor) as Person;
  const { id: me, as } = actor;
  const whom = at(people, step.whom) as Person;
  const content = at(model.contents, step.what) as Content;
  const spaces = model.contents.filter(({ kind }) => kind === 'space');
  const space = at(spaces, step.what) as Content;
  const path = `/${content.kind}s/${content.id}`;
  /** Both must agree on whether it is allowed. */
  const agree = (response: ApiResponse, allowed: boolean) => {
    const isDone = response.status < 300 && response.status !== 204;
    expect(isDone, `${JSON.stringify(step)} ${response.status} ${JSON.stringify(response.body)}`).toBe(
      allowed,
    );
    return allowed ? `${does} ${content.kind}` : undefined;
  };
  switch (does) {
    case 'move': {
      const collections = model.contents.filter(({ kind }) => kind === 'collection');
      const parent = step.where === null ? null : flag ? undefined : at(collections, step.where);
      const before = flag ? at(model.contents, step.whom) : undefined;
      const pointer = before && { type: before.kind, [before.kind]: before.id };
      const response = await as.post(`${path}/move`, {
        ...(parent !== undefined && { parent: parent ? parent.id : null }),
        ...(pointer && { position: { before: pointer } }),
      });
      return agree(response, world.move(model, me, content, { parent, before }));
    }
    case 'transfer': {
      const organization = at(organizations, step.whom) as string;
      const response = await as.post(`${path}/transfer`, { organization });
      return agree(response, world.transfer(model, me, content, organization));
    }
    case 'duplicate': {
      const response = await as.post(`/spaces/${space.id}/duplicate`);
      const copy = world.duplicate(model, me, space);
      copy?.(response.body.id);
      return agree(response, copy !== undefined);
    }
    case 'delete':
      return agree(await as.delete(path), world.remove(model, me, content));
    case 'restore': {
      const deleted = at(
        spaces.filter((one) => one.deleted),
        step.what,
      );
      if (!deleted) return undefined;
      return agree(await as.post(`/spaces/${deleted.id}/restore`), world.restore(model, me, deleted));
    }
    case 'default':
      return agree(
        await as.patch(path, { defaultLevel: level }),
        world.setDefault(model, me, content, level),
      );
    case 'give': {
      const team = at(model.teams, step.whom) as World['teams'][number];
      const to = flag ? `teams/${team.id}` : `users/${whom.id}`;
      const given: Role | null = level === 'inherit' ? null : level;
      const { status } = await as.patch(`${path}/permissions/${to}`, { role: given });
      const allowed = world.give(model, me, content, flag ? team.id : whom.id, given);
      expect(status === 204, `${JSON.stringify(step)} ${status}`).toBe(allowed);
      return allowed ? `give on ${content.kind}` : undefined;
    }
    case 'propose': {
      const response = await as.post(`/spaces/${space.id}/change-requests`, { subject: 'Subject' });
      const allowed = world.mayEdit(model, me, space);
      if (allowed) {
        const made = { id: response.body.id, creator: me, contributors: new Set<string>() };
        space.requests.push({ ...made, status: 'draft', reviewers: new Set() });
      }
      return agree(response, allowed);
    }
    case 'contribute':
    case 'ask': {
      const proposed = spaces.filter(({ requests }) => requests.length > 0);
      const of = at(proposed, step.what);
      const request = of && at(of.requests, step.whom);
      if (!of || !request) return undefined;
      const address = `/spaces/${of.id}/change-requests/${request.id}`;
      if (does === 'ask') {
        const response = await as.post(`${address}/requested-reviewers`, { users: [whom.id] });
        return agree(response, world.ask(model, me, of, request, whom.id));
      }
      const allowed = world.mayEdit(model, me, of);
      if (flag) {
        const status = step.whom % 5 ? 'open' : 'archived';
        if (allowed) request.status = status;
        return agree(await as.patch(address, { status }), allowed);
      }
      const changes = [{ operation: 'insert_page', title: 'Page' }];
      const isEdited = allowed && request.status !== 'archived';
      if (isEdited) request.contributors.add(me);
      return agree(await as.post(`${address}/content`, { changes }), isEdited);
    }
    case 'leave': {
      // The first user stays, so that steps are possible to the end.
      const organization = at(organizations, step.what) as string;
      const members = model.members.get(organization);
      if (whom === people[0] || !members?.has(whom.id)) return undefined;
      const allowed = members.get(me) === 'admin';
      const response = await as.delete(`/orgs/${organization}/members/${whom.id}`);
      if (allowed) world.leave(model, organization, whom.id);
      return agree(response, allowed);
    }
  }
}

test('after any moves, every list shows each user exactly what the rules allow', async () => {
  const done = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(people, fc.array(step, { minLength: 25, maxLength: 35 }), async (given, steps) => {
      const stage = await build(given);
      for (const [i, step] of steps.entries()) {
        if (stage.model.contents.length === 0) break;
        const what = await take(stage, step);
        if (what) done.set(what, (done.get(what) ?? 0) + 1);
        if (i % 15 === 14) await expectSameLists(stage);
      }
      await expectSameLists(stage);
    }),
    { numRuns: process.env.LONG === '1' ? 300 : 3, seed: 6, endOnFailure: true },
  );
  // The steps are random, but cover enough cases to be meaningful.
  for (const what of ['move space', 'move collection', 'transfer space', 'transfer collection', 'ask space'])
    expect(done.get(what) ?? 0, `${what} of ${JSON.stringify([...done])}`).toBeGreaterThan(0);
}, 600_000);
