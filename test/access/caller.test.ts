import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadCollection, loadOrganization, loadSite, loadSpace } from '../../routers/access/load.query.ts';
import { type Caller, currentCaller, runFor, runWithoutCaller } from '../../routers/base/caller.ts';
import { findCallerOrganization } from '../../routers/base/caller-organization.ts';
import type { Db } from '../../routers/base/db.ts';
import { newId } from '../../schema/ids.ts';
import { actorOf } from '../helpers/actor.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let db: Db;
let organization: string;
let user: string;
let stranger: string;
let space: string;
let collection: string;
let site: string;
beforeAll(async () => {
  service = await startTestService();
  ({ db } = service.runtime.database);
  const made = await service.build.organization();
  organization = made.id;
  user = made.admin.id;
  stranger = (await service.build.organization()).admin.id;
  space = (await service.build.space(organization)).id;
  collection = (await service.build.collection(organization)).id;
  site = (await service.build.site(organization)).id;
});
afterAll(() => service.close());

test('the organization of a call is found from its input, for members of the organization only', async () => {
  for (const input of [
    { organizationId: organization },
    { organizationId: organization, spaceId: newId() },
    { spaceId: space },
    { collectionId: collection },
  ]) {
    expect(await findCallerOrganization(db, user, input)).toBe(organization);
    expect(await findCallerOrganization(db, stranger, input)).toBeUndefined();
  }
  for (const input of [undefined, {}, { spaceId: newId() }, { spaceId: 'none' }, { userId: user }])
    expect(await findCallerOrganization(db, user, input)).toBeUndefined();
});

test('loading an object attributes the work of a member to its organization', async () => {
  const loads: ((user: string) => Promise<unknown>)[] = [
    (id) => loadOrganization(db, actorOf(id), organization),
    (id) => loadSpace(db, actorOf(id), space),
    (id) => loadCollection(db, actorOf(id), collection),
    (id) => loadSite(db, actorOf(id), organization, site),
  ];
  for (const load of loads) {
    const [member, other]: [Caller, Caller] = [{ user }, { user: stranger }];
    await runFor(member, () => load(user));
    await runFor(other, () => load(stranger));
    expect(member).toEqual({ user, organization });
    expect(other).toEqual({ user: stranger });
  }
});

test('a statement that several callers share is attributed to none of them', async () => {
  const seen: (Caller | undefined)[] = [];
  const watched = new Proxy(db, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name === 'executeQuery') seen.push(currentCaller());
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  await runFor({ user }, () => loadSpace(watched, actorOf(user), space));
  expect(seen).toEqual([undefined]);
  expect(runFor({ user }, () => runWithoutCaller(currentCaller))).toBeUndefined();
});
