import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recheckHostnames } from '../../routers/hostnames/recheck.operation.ts';
import { jobContext } from '../../server/context.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('custom hostnames and proxies are checked again a day later, each at its own time', async () => {
  const { id, admin } = await service.build.organization();
  const client = service.as(admin.token);
  const { id: site } = await service.build.site(id);
  await expectOk(client.put(`/orgs/${id}/custom-hostnames/docs.acme.com`, {}));
  await expectOk(client.patch(`/orgs/${id}/sites/${site}`, { proxy: 'acme.com/docs' }));
  const { database, services } = service.runtime;
  const { db } = database;
  const queued = async () => {
    const { rows } = await sql<{ name: string; data: object }>`
      select name, data from pgboss.job where name in ('check-custom-hostname', 'check-proxy') order by name`.execute(
      db,
    );
    await sql`delete from pgboss.job where name in ('check-custom-hostname', 'check-proxy')`.execute(db);
    return rows.map(({ name, data }) => [name, data]);
  };
  const both = [
    ['check-custom-hostname', { hostname: 'docs.acme.com', organization: id }],
    ['check-proxy', { site }],
  ];
  const recheck = () => recheckHostnames(jobContext(database, services));
  expect(await queued()).toEqual(both);
  await recheck();
  expect(await queued()).toEqual([]);
  for (const table of ['custom_hostname', 'site_proxy'])
    await sql`update ${sql.table(table)} set check_at = check_at - interval '24 hours'`.execute(db);
  await Promise.all([recheck(), recheck()]);
  expect(await queued()).toEqual(both);
  await recheck();
  expect(await queued()).toEqual([]);
});

test('many checks are enqueued in a few statements, which use an index', async () => {
  const { id } = await service.build.organization();
  const { db } = service.runtime.database;
  await sql`
    insert into custom_hostname (hostname, organization_id, check_at, created_at)
    select 'h' || number || '.many.com', ${id}, now() + (number - 600) * interval '1 second', now()
    from generate_series(1, 6000) as number`.execute(db);
  await sql`analyze custom_hostname`.execute(db);
  const { database, services } = service.runtime;
  await recheckHostnames(jobContext(database, services));
  const { rows } = await sql`select from pgboss.job where name = 'check-custom-hostname'`.execute(db);
  expect(rows.length).toBeGreaterThanOrEqual(600);
  expect(rows.length).toBeLessThan(700);
  const plan = await sql<Record<string, string>>`
    explain select ctid from custom_hostname where check_at <= now() order by check_at limit 500`.execute(db);
  expect(JSON.stringify(plan.rows)).toContain('custom_hostname_check');
});
