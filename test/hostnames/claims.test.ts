import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Dns } from '../../routers/base/outbound-ports.ts';
import { checkCustomHostname } from '../../routers/hostnames/hostname-check.operation.ts';
import { jobContext } from '../../server/context.ts';
import type { Person } from '../helpers/builders.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { failing, fake, naming } from './dns.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const DAY = 24 * 3600 * 1000;

interface Claimant {
  id: string;
  admin: Person;
  site: string;
  client: Client;
}

async function claimant(): Promise<Claimant> {
  const { id, admin } = await service.build.organization();
  return { id, admin, site: (await service.build.site(id)).id, client: service.as(admin.token) };
}

const name = ({ id, site, client }: Claimant, hostname: string) =>
  client.put(`/orgs/${id}/custom-hostnames/${hostname}`, { site });

async function check({ id }: Claimant, hostname: string, dns: Dns, now = new Date()) {
  const { database, services } = service.runtime;
  const context = jobContext(database, { ...services, dns });
  await checkCustomHostname(context, { hostname, organization: id }, now);
}

const shown = async ({ client }: Claimant, hostname: string) =>
  expectOk(client.get(`/custom-hostnames/${hostname}`));

/** The events of hostnames, the newest last. */
async function eventsOf({ id, client }: Claimant) {
  const { items } = await expectOk(client.get(`/orgs/${id}/events?limit=1000`));
  return items
    .filter(({ type }: { type: string }) => type.startsWith('custom_hostname.'))
    .map(({ type, hostname, site, reason }: Record<string, string>) => ({ type, hostname, site, reason }))
    .reverse();
}

const siteAt = async (hostname: string) =>
  (await service.as().post('/urls/published', { url: `https://${hostname}` })).body.site;

describe('a hostname that several organizations claim', () => {
  let one: Claimant;
  let two: Claimant;
  let hostname: string;
  let count = 0;
  beforeEach(async () => {
    [one, two] = [await claimant(), await claimant()];
    for (const { id, site } of [one, two]) {
      const { id: space } = await service.build.space(id);
      await service.build.siteSpace(site, { path: 'docs', space, isDefault: true });
    }
    hostname = `h${count++}.acme.com`;
  });

  test('a hostname that several organizations claim is active for none until one proves it', async () => {
    expect((await name(one, hostname)).status).toBe(200);
    expect((await name(two, hostname)).status).toBe(200);
    for (const { id, client, site } of [one, two]) {
      const { body } = await client.get(`/custom-hostnames/${hostname}`);
      expect(body).toMatchObject({ isActive: false, target: { site } });
      expect(body.records[1].value).toBe(id);
    }
    await check(one, hostname, naming(hostname, two.id));
    await check(two, hostname, naming(hostname, two.id));
    expect((await shown(one, hostname)).isActive).toBe(false);
    expect((await shown(two, hostname)).isActive).toBe(true);
    expect(await siteAt(hostname)).toBe(two.site);
    expect(await eventsOf(one)).toEqual([]);
    expect(await eventsOf(two)).toEqual([{ type: 'custom_hostname.activated', hostname, site: two.site }]);
  });

  test('a hostname passes to the organization that proves it now, and the one that had it gets an event', async () => {
    await name(one, hostname);
    await check(one, hostname, naming(hostname, one.id));
    await name(two, hostname);
    expect((await shown(two, hostname)).isActive).toBe(false);
    await check(two, hostname, naming(hostname, two.id));
    expect(await siteAt(hostname)).toBe(two.site);
    expect(await shown(one, hostname)).toMatchObject({
      isActive: false,
      status: 'dns_no_cname',
      error: expect.stringContaining(one.id),
    });
    expect(await eventsOf(one)).toEqual([
      { type: 'custom_hostname.activated', hostname, site: one.site },
      { type: 'custom_hostname.deactivated', hostname, site: one.site, reason: 'taken' },
    ]);
    expect((await expectOk(one.client.get(`/orgs/${one.id}/sites/${one.site}`))).hostname).toBeUndefined();
  });

  test('a hostname stays with the organization that has it while its records are correct, or cannot be looked up', async () => {
    await name(one, hostname);
    await check(one, hostname, naming(hostname, one.id));
    await name(two, hostname);
    const both = naming(hostname, one.id, two.id);
    await check(two, hostname, both);
    await check(one, hostname, both);
    expect(await shown(two, hostname)).toMatchObject({
      isActive: false,
      status: 'dns_passed',
      error: expect.stringMatching(/^Another organization/),
    });
    let asked = 0;
    const onlyFirst: Dns = {
      ...naming(hostname, two.id),
      texts: (of) => (asked++ === 0 ? naming(hostname, two.id).texts(of) : failing.texts(of)),
    };
    await check(two, hostname, onlyFirst);
    expect(await siteAt(hostname)).toBe(one.site);
    expect(await eventsOf(one)).toHaveLength(1);
  });

  test('a hostname goes to one of two organizations that prove it at once', async () => {
    await Promise.all([name(one, hostname), name(two, hostname)]);
    const both = naming(hostname, one.id, two.id);
    await Promise.all([1, 2, 3].flatMap(() => [check(one, hostname, both), check(two, hostname, both)]));
    const active = [await shown(one, hostname), await shown(two, hostname)].map(({ isActive }) => isActive);
    expect(active.sort()).toEqual([false, true]);
    expect([...(await eventsOf(one)), ...(await eventsOf(two))]).toHaveLength(1);
  });

  test('a hostname is checked for the other organizations once it is removed from one', async () => {
    await name(one, hostname);
    await check(one, hostname, naming(hostname, one.id));
    await name(two, hostname);
    const enqueued = async () => {
      const { rows } = await service.runtime.database.db.executeQuery<{ organization: string }>({
        sql: `select data->>'organization' as organization from pgboss.job where data->>'hostname' = '${hostname}' order by created_on`,
        parameters: [],
      } as never);
      return rows.map(({ organization }) => organization);
    };
    expect(await enqueued()).toEqual([one.id, two.id]);
    await expectOk(one.client.delete(`/custom-hostnames/${hostname}`));
    expect(await enqueued()).toEqual([one.id, two.id, two.id]);
    await name(one, hostname);
    await check(two, hostname, naming(hostname, two.id));
    await expectOk(two.client.delete(`/orgs/${two.id}/sites/${two.site}`));
    expect((await enqueued()).slice(-1)).toEqual([one.id]);
  });

  test('a member of several organizations that claim a hostname sees the active claim, or that of the organization they name', async () => {
    await service.build.join(two.id, one.admin.id, 'admin');
    await name(one, hostname);
    await name(two, hostname);
    await check(two, hostname, naming(hostname, two.id));
    const at = `/custom-hostnames/${hostname}`;
    const site = async (query: string) => (await one.client.get(at + query)).body.target?.site;
    expect(await site('')).toBe(two.site);
    expect(await site(`?organizationId=${one.id}`)).toBe(one.site);
    expect((await one.client.delete(`${at}?organizationId=${one.id}`)).status).toBe(205);
    expect((await one.client.get(`${at}?organizationId=${one.id}`)).status).toBe(404);
    expect(await site('')).toBe(two.site);
    expect((await two.client.get(`${at}?organizationId=${one.id}`)).status).toBe(404);
  });
});

test('a hostname whose records become wrong stays active for a week, and then is nobody’s', async () => {
  const owner = await claimant();
  const hostname = 'lapsed.acme.com';
  await name(owner, hostname);
  const start = Date.now();
  const at = (days: number, dns: Dns) => check(owner, hostname, dns, new Date(start + days * DAY));
  await at(0, naming(hostname, owner.id));
  for (const day of [1, 4, 7.9]) {
    await at(day, fake({}));
    expect(await shown(owner, hostname)).toMatchObject({ isActive: true, status: 'dns_no_cname' });
  }
  await at(8, failing);
  expect((await shown(owner, hostname)).isActive).toBe(true);
  await at(8, fake({}));
  expect(await shown(owner, hostname)).toMatchObject({ isActive: false, status: 'dns_no_cname' });
  expect((await eventsOf(owner)).at(-1)).toEqual({
    type: 'custom_hostname.deactivated',
    hostname,
    site: owner.site,
    reason: 'expired',
  });
  await at(9, fake({}));
  expect(await eventsOf(owner)).toHaveLength(2);
  await at(10, naming(hostname, owner.id));
  expect(await shown(owner, hostname)).toMatchObject({ isActive: true, status: 'live' });
  await at(17, fake({}));
  expect((await shown(owner, hostname)).isActive).toBe(true);
});

test('the week for wrong records starts anew after each successful check', async () => {
  const owner = await claimant();
  const hostname = 'mended.acme.com';
  await name(owner, hostname);
  const start = Date.now();
  const at = (days: number, dns: Dns) => check(owner, hostname, dns, new Date(start + days * DAY));
  await at(0, naming(hostname, owner.id));
  for (const day of [1, 7]) await at(day, fake({}));
  await at(7.5, naming(hostname, owner.id));
  for (const day of [8, 14]) await at(day, fake({}));
  expect((await shown(owner, hostname)).isActive).toBe(true);
  await at(15, fake({}));
  expect((await shown(owner, hostname)).isActive).toBe(false);
});
