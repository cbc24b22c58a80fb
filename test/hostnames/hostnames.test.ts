import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Dns } from '../../routers/base/outbound-ports.ts';
import { checkDns, type ExpectedRecords } from '../../routers/hostnames/dns-check.ts';
import { checkCustomHostname } from '../../routers/hostnames/hostname-check.operation.ts';
import { jobContext } from '../../server/context.ts';
import { openDns } from '../../server/hardening/dns.ts';
import type { Person } from '../helpers/builders.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';
import { failing, fake, type Zone } from './dns.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ SITES_DOMAIN: 'example.site' });
});
afterAll(() => service.close());

describe('the records of a hostname', () => {
  const name = 'docs.acme.com';
  const expected: ExpectedRecords = {
    serviceHost: 'docs.test',
    subdomain: 'acme.example.site',
    proof: { name: '_colophon.docs.acme.com', text: 'org1' },
  };
  const proven = { '_colophon.docs.acme.com': ['other', 'org1'] };
  const statusOf = async (zone: Zone, of = expected) => (await checkDns(fake(zone), name, of)).status;

  test('DNS records are correct if the hostname is an alias of the subdomain of its organization, directly or through others', async () => {
    expect(await statusOf({ aliases: { [name]: 'acme.example.site' } })).toBe('live');
    const chain = { [name]: 'docs.acme.net', 'docs.acme.net': 'acme.example.site' };
    expect(await statusOf({ aliases: chain })).toBe('live');
  });

  test('DNS records are correct if the hostname points to the service otherwise, and a TXT record names the organization', async () => {
    const alias = { aliases: { [name]: 'docs.test' } };
    const address = { addresses: { [name]: ['192.0.2.1'], 'docs.test': ['192.0.2.1', '192.0.2.2'] } };
    for (const zone of [alias, address]) {
      expect(await statusOf({ ...zone, texts: proven })).toBe('live');
      expect(await statusOf(zone)).toBe('dns_no_cname');
      expect(await statusOf({ ...zone, texts: { '_colophon.docs.acme.com': ['org2'] } })).toBe(
        'dns_no_cname',
      );
    }
  });

  test('DNS records are wrong if the hostname points elsewhere, or nowhere', async () => {
    expect(await statusOf({ aliases: { [name]: 'other.example.site' }, texts: proven })).toBe(
      'dns_wrong_cname',
    );
    expect(await statusOf({ texts: proven })).toBe('dns_no_cname');
    const elsewhere = { addresses: { [name]: ['192.0.2.9'], 'docs.test': ['192.0.2.1'] } };
    expect(await statusOf({ ...elsewhere, texts: proven })).toBe('dns_no_cname');
  });

  test('a circle of aliases ends the check', async () => {
    const circle = { [name]: 'a.test', 'a.test': 'b.test', 'b.test': 'a.test' };
    expect(await statusOf({ aliases: circle })).toBe('dns_wrong_cname');
  });

  test('a check has no result if no name server responds', async () => {
    expect(await checkDns(failing, name, expected)).toEqual({
      status: undefined,
      error: 'The DNS did not answer: queryCname ETIMEOUT',
    });
  });
});

test('an error in the service itself is not taken for a failure of the DNS', async () => {
  const hostname = 'docs.acme.com';
  const expected = {
    serviceHost: 'docs.test',
    subdomain: undefined,
    proof: { name: `_x.${hostname}`, text: 'org1' },
  };
  const broken = { ...fake({}), aliases: () => Promise.reject(new TypeError('x is not a function')) };
  await expect(checkDns(broken, hostname, expected)).rejects.toThrow(TypeError);
});

test('the resolver of the machine finds no records of invalid names', async () => {
  const answers = await Promise.allSettled([openDns().aliases('x.invalid'), openDns().texts('x.invalid')]);
  for (const answer of answers) {
    if (answer.status === 'fulfilled') expect(answer.value).toEqual([]);
    // Without a network there is no answer, which is an error and not an empty one.
    else expect(answer.reason).toHaveProperty('code');
  }
});

describe('a custom hostname', () => {
  let organization: { id: string; admin: Person };
  let site: string;
  let admin: Client;
  const put = (hostname: string, body: object = {}, of = organization.id, as = admin) =>
    as.put(`/orgs/${of}/custom-hostnames/${hostname}`, body);
  const check = async (hostname: string, dns: Dns, of = organization.id) => {
    service.runtime.services.dns = dns;
    const { database, services } = service.runtime;
    await checkCustomHostname(jobContext(database, services), { hostname, organization: of });
    return (await admin.get(`/custom-hostnames/${hostname}`)).body;
  };
  const enqueued = async () => {
    const { db } = service.runtime.database;
    const { rows } = await db.executeQuery<{ hostname: string }>({
      sql: `select data->>'hostname' as hostname from pgboss.job where name = 'check-custom-hostname'`,
      parameters: [],
    } as never);
    return rows.map(({ hostname }) => hostname);
  };

  beforeEach(async () => {
    organization = await service.build.organization();
    site = (await service.build.site(organization.id)).id;
    admin = service.as(organization.admin.token);
  });

  test('a custom hostname can be set, checked, read, checked again and removed', async () => {
    const hostname = 'first.acme.com';
    const { status, body } = await put(hostname, { site });
    expect(status).toBe(200);
    expect(body).toEqual({
      object: 'custom-hostname',
      hostname,
      target: { type: 'site', site },
      isActive: false,
      records: [
        { type: 'CNAME', name: hostname, value: 'docs.test' },
        { type: 'TXT', name: `_colophon.${hostname}`, value: organization.id },
      ],
      urls: { location: `http://docs.test/v1/custom-hostnames/${hostname}` },
    });
    expect(await enqueued()).toEqual([hostname]);
    const atSite = `/orgs/${organization.id}/sites/${site}`;
    expect((await admin.get(atSite)).body.hostname).toBeUndefined();

    const zone = { aliases: { [hostname]: 'docs.test' } };
    const proven = { ...zone, texts: { [`_colophon.${hostname}`]: [organization.id] } };
    expect(await check(hostname, fake(zone))).toMatchObject({ isActive: false, status: 'dns_no_cname' });
    expect(await check(hostname, fake(proven))).toMatchObject({ isActive: true, status: 'live' });
    expect((await admin.get(atSite)).body.hostname).toBe(hostname);
    expect(await check(hostname, failing)).toMatchObject({
      isActive: true,
      error: expect.stringMatching(/^The DNS/),
    });

    expect((await admin.patch(`/custom-hostnames/${hostname}`)).status).toBe(204);
    expect(await enqueued()).toEqual([hostname, hostname]);
    expect(await check(hostname, fake({}))).toMatchObject({ isActive: true, status: 'dns_no_cname' });

    expect((await admin.get(`/orgs/${organization.id}/custom-hostnames`)).body.items).toHaveLength(1);
    expect((await admin.delete(`/custom-hostnames/${hostname}`)).status).toBe(205);
    expect((await admin.delete(`/custom-hostnames/${hostname}`)).status).toBe(204);
  });

  test('setting a custom hostname records a change of its site or organization', async () => {
    const hostname = 'event.acme.com';
    const other = await service.build.organization();
    const client = service.as(other.admin.token);
    const { id } = await service.build.site(other.id);
    const events = async () => {
      const { items } = (await client.get(`/orgs/${other.id}/events?limit=1000`)).body;
      return items.map(({ type, site: about }: { type: string; site?: string }) => [type, about]);
    };
    const ofSite = ['site.updated', id];
    await put(hostname, { site: id }, other.id, client);
    expect(await events()).toEqual([ofSite]);
    const texts = { [`_colophon.${hostname}`]: [other.id] };
    const zone = fake({ aliases: { [hostname]: 'docs.test' }, texts });
    await check(hostname, zone, other.id);
    await check(hostname, zone, other.id);
    const activated = ['custom_hostname.activated', id];
    expect(await events()).toEqual([ofSite, activated, ofSite]);
    await put(hostname, {}, other.id, client);
    await client.delete(`/custom-hostnames/${hostname}`);
    await client.delete(`/custom-hostnames/${hostname}`);
    const ofOrganization = ['organization.updated', undefined];
    expect(await events()).toEqual([ofOrganization, ofSite, ofOrganization, ofSite, activated, ofSite]);
  });

  test('a custom hostname of an organization needs no TXT record if it is an alias of its subdomain', async () => {
    const hostname = 'second.acme.com';
    expect((await admin.patch(`/orgs/${organization.id}`, { hostname: 'second' })).status).toBe(200);
    expect((await put(hostname)).body).toMatchObject({
      target: { type: 'organization', organization: organization.id },
      records: [{ type: 'CNAME', name: hostname, value: 'second.example.site' }],
    });
    const alias = fake({ aliases: { [hostname]: 'second.example.site' } });
    expect(await check(hostname, alias)).toMatchObject({ isActive: true });
  });

  test.each([
    'acme.com',
    'Docs.acme.com',
    'docs.test',
    'a.docs.test',
    'third.example.site',
    '10.0.0.1',
    'docs.acme.com.',
  ])('%s is refused', async (hostname) => {
    expect((await put(hostname, { site })).status).toBe(400);
  });

  test('a target can have only one custom hostname', async () => {
    await put('fourth.acme.com', { site });
    expect((await put('fifth.acme.com', { site })).status).toBe(409);
    expect((await put('fifth.acme.com')).status).toBe(200);
    expect((await put('fourth.acme.com', { site })).status).toBe(200);
  });

  test('a custom hostname of a site is shown only to those who may view the site', async () => {
    await put('site.acme.com', { site });
    await put('all.acme.com');
    await admin.patch(`/orgs/${organization.id}/sites/${site}`, { defaultLevel: null });
    const member = await service.build.member(organization.id, 'create');
    const client = service.as(member.token);
    const seen = async () => {
      const { items, count } = (await client.get(`/orgs/${organization.id}/custom-hostnames`)).body;
      const { status } = await client.get('/custom-hostnames/site.acme.com');
      return [items.map((item: { hostname: string }) => item.hostname), count, status];
    };
    expect(await seen()).toEqual([['all.acme.com'], 1, 404]);
    // Whoever may not view it is not told that it is there.
    expect((await client.patch('/custom-hostnames/site.acme.com')).status).toBe(404);
    await service.build.grant(organization.id, { user: member.id, site, role: 'read' });
    expect(await seen()).toEqual([['all.acme.com', 'site.acme.com'], 2, 200]);
    expect((await client.patch('/custom-hostnames/site.acme.com')).status).toBe(403);
  });

  test('a custom hostname cannot lead to a site of another organization', async () => {
    const other = await service.build.organization();
    expect((await put('seventh.acme.com', { site }, other.id, service.as(other.admin.token))).status).toBe(
      404,
    );
  });
});

test('a subdomain is the hostname of an organization, which only members can look up', async () => {
  const { id, admin } = await service.build.organization();
  const other = await service.build.organization();
  const client = service.as(admin.token);
  await client.patch(`/orgs/${id}`, { hostname: 'lookup' });
  expect((await client.get('/subdomains/lookup')).body).toEqual({
    object: 'subdomain',
    subdomain: 'lookup',
    target: { type: 'organization', organization: id },
    isActive: true,
  });
  expect((await service.as(other.admin.token).get('/subdomains/lookup')).status).toBe(404);
  expect((await client.get('/subdomains/nobody')).status).toBe(404);
  for (const bad of ['ab', 'Lookup', 'a_b', 'x'.repeat(33)]) {
    expect((await client.get(`/subdomains/${bad}`)).status).toBe(400);
  }
});

test('a subdomain belongs to one organization, which frees it by choosing another', async () => {
  const [one, two] = [await service.build.organization(), await service.build.organization()];
  const claim = ({ id, admin }: typeof one, hostname: string) =>
    service.as(admin.token).patch(`/orgs/${id}`, { hostname });
  expect((await claim(one, 'contested')).status).toBe(200);
  expect((await claim(two, 'contested')).status).toBe(409);
  expect((await claim(one, 'released')).status).toBe(200);
  expect((await claim(two, 'contested')).body.hostname).toBe('contested');
  for (const reserved of ['www', 'api', 'xn--mnchen-3ya']) {
    expect((await claim(one, reserved)).status).toBe(400);
  }
});

test('of two organizations that claim a subdomain at once, one gets it', async () => {
  const all = await Promise.all(Array.from({ length: 4 }, () => service.build.organization()));
  const statuses = await Promise.all(
    all.map(async ({ id, admin }) => {
      const { status } = await service.as(admin.token).patch(`/orgs/${id}`, { hostname: 'wanted' });
      return status;
    }),
  );
  expect(statuses.toSorted()).toEqual([200, 409, 409, 409]);
});
