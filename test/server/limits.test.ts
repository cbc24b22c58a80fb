import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { untilBlocked } from '../helpers/blocked-sessions.ts';
import { startTestService } from '../helpers/service.ts';

describe('limits', () => {
  test('each caller over the rate limit gets 429, and others do not', async () => {
    const limited = await startTestService({ RATE_LIMIT: '3' });
    try {
      const [one, other] = [await limited.build.user(), await limited.build.user()];
      for (let i = 0; i < 3; i++) expect((await limited.as(one.token).get('/user')).status).toBe(200);
      const refused = await limited.as(one.token).get('/user');
      expect(refused.status).toBe(429);
      expect(refused.body).toEqual({ error: { code: 429, message: expect.any(String) } });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect((await limited.as(other.token).get('/user')).status).toBe(200);
      expect((await limited.app.inject('/healthz')).statusCode).toBe(200);
    } finally {
      await limited.close();
    }
  });

  test('requests with made-up tokens count towards the limit of their IP address', async () => {
    const limited = await startTestService({ RATE_LIMIT: '3' });
    try {
      const { token } = await limited.build.user();
      for (let i = 0; i < 3; i++) expect((await limited.as(`made-up-${i}`).get('/user')).status).toBe(401);
      expect((await limited.as('another').get('/user')).status).toBe(429);
      expect((await limited.app.inject('/v1/user')).statusCode).toBe(429);
      expect((await limited.as(token).get('/user')).status).toBe(200);
    } finally {
      await limited.close();
    }
  });

  test('behind a proxy, addresses that a client makes up do not evade the limit', async () => {
    const limited = await startTestService({ RATE_LIMIT: '3', TRUST_PROXY: 'true' });
    const statusFrom = async (...addresses: string[]) => {
      const headers = { 'x-forwarded-for': addresses.join(', ') };
      return (await limited.app.inject({ url: '/v1/user', headers })).statusCode;
    };
    try {
      for (let i = 0; i < 3; i++) expect(await statusFrom(`198.51.100.${i}`, '203.0.113.7')).toBe(401);
      expect(await statusFrom('198.51.100.9', '203.0.113.7')).toBe(429);
      expect(await statusFrom('203.0.113.8')).toBe(401);
      // Some proxies add the port of the client, and some write addresses in other forms.
      const forms = ['2001:db8::9', '[2001:DB8::9]:5001', '[2001:db8:0:0::9]:5002', '2001:db8:0::0:9'];
      const statuses = [];
      for (const form of forms) statuses.push(await statusFrom(form));
      expect(statuses).toEqual([401, 401, 401, 429]);
      expect(await statusFrom('203.0.113.7:50123')).toBe(429);
    } finally {
      await limited.close();
    }
  });

  test('while closing, a request in progress gets its response and its connection is closed', async () => {
    const closing = await startTestService();
    const { token } = await closing.build.user();
    const base = await closing.app.listen({ port: 0, host: '127.0.0.1' });
    const [locked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const blocker = closing.runtime.database.transaction(async (em) => {
      await em.execute('lock table "user" in access exclusive mode');
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    const answer = fetch(`${base}/v1/user`, { headers: { authorization: `Bearer ${token}` } });
    await untilBlocked((statement) => sql.raw(statement).execute(closing.runtime.database.db));
    const closed = closing.close();
    await vi.waitUntil(() => !closing.app.server.listening);
    held.resolve();
    const { status, headers } = await answer;
    await Promise.all([blocker, closed]);
    expect(status).toBe(200);
    expect(headers.get('connection')).toBe('close');
  });
});
