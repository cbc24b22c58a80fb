import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Dns } from '../../routers/base/outbound-ports.ts';
import { checkCustomHostname } from '../../routers/hostnames/hostname-check.operation.ts';
import { checkProxy } from '../../routers/hostnames/proxy-check.operation.ts';
import { jobContext } from '../../server/context.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { failing, fake, naming } from './dns.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ SITES_DOMAIN: 'example.site' });
});
afterAll(() => service.close());

const DAY = 24 * 3600 * 1000;

interface Claimant {
  id: string;
  client: Client;
  site: string;
  /** The path of the site. */
  at: string;
}

async function claimant(): Promise<Claimant> {
  const { id, admin } = await service.build.organization();
  return { id, client: service.as(admin.token), ...(await siteOf(id)) };
}

async function siteOf(organization: string) {
  const { id: space } = await service.build.space(organization);
  const { id: site } = await service.build.site(organization, { spaces: [space] });
  return { site, at: `/orgs/${organization}/sites/${site}` };
}

const set = ({ client, at }: Claimant, proxy: string | null) => client.patch(at, { proxy });

const context = (dns: Dns) => {
  const { database, services } = service.runtime;
  return jobContext(database, { ...services, dns });
};
const check = ({ site }: Claimant, dns: Dns, now?: Date) => checkProxy(context(dns), site, now);

const shown = async ({ client, at }: Claimant) => (await expectOk(client.get(at))).proxy;

const siteAt = async (address: string) =>
  (await service.as().post('/urls/published', { url: `https://${address}` })).body.site;

async function eventsOf({ id, client }: Claimant) {
  const { items } = await expectOk(client.get(`/orgs/${id}/events?limit=1000&type=site.proxy.updated`));
  return items.map((event: Record<string, unknown>) => [event.isActive, event.isVerified]).reverse();
}

let one: Claimant;
let two: Claimant;
let host: string;
let count = 0;
beforeEach(async () => {
  [one, two] = [await claimant(), await claimant()];
  host = `p${count++}.acme.com`;
});

test('a proxy works at once, and has the records that prove it', async () => {
  const { status, body } = await set(one, `${host}/docs`);
  expect(status).toBe(200);
  expect(body.proxy).toEqual({
    origin: `${host}/docs`,
    target: `http://docs.test/sites/${one.site}`,
    isActive: true,
    isVerified: false,
    records: [{ type: 'TXT', name: `_colophon.${host}`, value: one.id }],
  });
  expect(body.urls.published).toBe(`https://${host}/docs`);
  expect(await siteAt(`${host}/docs/page`)).toBe(one.site);
  expect(await eventsOf(one)).toEqual([[true, false]]);
});

test('a proxy at an origin that another organization claimed first can be set, but is not active', async () => {
  await set(one, `${host}/docs`);
  for (const origin of [`${host}/docs`, `${host}/docs/v2`]) {
    const { status, body } = await set(two, origin);
    expect(status).toBe(200);
    expect(body.proxy).toMatchObject({ origin, isActive: false });
    expect(body.urls.published).toBe(`http://docs.test/sites/${two.site}`);
    expect(await siteAt(`${origin}/page`)).toBe(one.site);
  }
  expect(await eventsOf(two)).toEqual([]);
  await set(one, null);
  expect(await siteAt(`${host}/docs/v2`)).toBe(two.site);
  expect(await eventsOf(two)).toEqual([[true, false]]);
});

test('a proxy that is proved displaces those of others at, above and below it, which get events', async () => {
  const three = await claimant();
  await set(one, `${host}/docs`);
  await set(three, `${host}/other`);
  await set(two, `${host}/docs`);
  await check(two, naming(host, two.id));
  expect(await shown(two)).toMatchObject({ isActive: true, isVerified: true });
  expect(await shown(one)).toMatchObject({ isActive: false, isVerified: false });
  expect(await siteAt(`${host}/docs/page`)).toBe(two.site);
  expect(await eventsOf(one)).toEqual([
    [true, false],
    [false, false],
  ]);
  expect(await eventsOf(two)).toEqual([[true, true]]);
  // What nobody else has set goes on working.
  expect(await siteAt(`${host}/other`)).toBe(three.site);
  await set(one, `${host}/docs/v2`);
  expect(await shown(one)).toMatchObject({ isActive: false });
  await expectOk(two.client.delete(two.at));
  expect(await siteAt(`${host}/docs/v2`)).toBe(one.site);
});

test('a proxy is also proved by an alias of the subdomain of its organization', async () => {
  await expectOk(one.client.patch(`/orgs/${one.id}`, { hostname: `sub${count}` }));
  await set(one, `${host}/docs`);
  await check(one, fake({ aliases: { [host]: `sub${count}.example.site` } }));
  expect(await shown(one)).toMatchObject({ isVerified: true });
});

test('the first of two proved proxies stays active while its records are correct', async () => {
  const both = naming(host, one.id, two.id);
  for (const each of [one, two]) await set(each, `${host}/docs`);
  await check(two, both);
  await check(one, both);
  // Both are verified, and the first one set it first.
  expect(await siteAt(`${host}/docs`)).toBe(one.site);
  const three = await claimant();
  await set(three, `${host}/docs`);
  await check(three, naming(host, three.id));
  expect(await siteAt(`${host}/docs`)).toBe(three.site);
  expect(await shown(one)).toMatchObject({ isActive: false, isVerified: false });
  expect(await shown(two)).toMatchObject({ isActive: false, isVerified: false });
  expect((await eventsOf(one)).at(-1)).toEqual([false, false]);
});

test('of two proxies that are proved at once, one is active', async () => {
  const both = naming(host, one.id, two.id);
  await Promise.all([set(one, `${host}/docs`), set(two, `${host}/docs`)]);
  await Promise.all([1, 2, 3].flatMap(() => [check(one, both), check(two, both)]));
  const active = [await shown(one), await shown(two)].map(({ isActive }) => isActive);
  expect(active.sort()).toEqual([false, true]);
});

test('a proxy is no longer verified after a week of wrong records, but stays active while no other is', async () => {
  await set(one, `${host}/docs`);
  await set(two, `${host}/docs`);
  const start = Date.now();
  const at = (days: number, dns: Dns) => check(one, dns, new Date(start + days * DAY));
  await at(0, naming(host, one.id));
  await at(1, fake({}));
  await at(7.9, fake({}));
  await at(20, failing);
  expect(await shown(one)).toMatchObject({
    isVerified: true,
    error: expect.stringMatching(/did not answer/),
  });
  await at(8, fake({}));
  expect(await shown(one)).toMatchObject({ isActive: true, isVerified: false });
  expect(await eventsOf(one)).toEqual([
    [true, false],
    [true, true],
    [true, false],
  ]);
});

test('a proxy at the hostname of another organization is not active', async () => {
  await set(one, `${host}/docs`);
  await two.client.put(`/orgs/${two.id}/custom-hostnames/${host}`, { site: two.site });
  const claim = { hostname: host, organization: two.id };
  await checkCustomHostname(context(naming(host, two.id)), claim);
  expect(await shown(one)).toMatchObject({ isActive: false });
  expect((await expectOk(one.client.get(one.at))).urls.published).toBe(`http://docs.test/sites/${one.site}`);
  expect(await siteAt(`${host}/docs`)).toBe(two.site);
  await expectOk(two.client.delete(`/custom-hostnames/${host}`));
  expect(await siteAt(`${host}/docs`)).toBe(one.site);
  expect(await eventsOf(one)).toEqual([
    [true, false],
    [false, false],
    [true, false],
  ]);
});

test('a proxy that another site of the organization has is refused', async () => {
  await set(one, `${host}/docs`);
  const other = { ...one, ...(await siteOf(one.id)) };
  expect((await set(other, `${host}/docs`)).status).toBe(409);
  expect((await set(other, `${host}/docs/v2`)).body.proxy.isActive).toBe(true);
  expect(await siteAt(`${host}/docs/v2/x`)).toBe(other.site);
  expect(await siteAt(`${host}/docs/v20`)).toBe(one.site);
});
