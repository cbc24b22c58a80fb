import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let admin: Client;
let reader: Client;
let guest: Client;
let disabled: Client;
let stranger: Client;
/** The values of the parameters in the paths below. */
const known: Record<string, string> = {};

beforeAll(async () => {
  service = await startTestService();
  const organization = await service.build.organization();
  const target = await service.build.member(organization.id, 'edit');
  const team = await service.build.team(organization.id, { members: [target.id] });
  Object.assign(known, { organizationId: organization.id, userId: target.id, teamId: team.id });
  const as = async (person: Promise<{ token: string }>) => service.as((await person).token);
  admin = service.as(organization.admin.token);
  reader = await as(service.build.member(organization.id, 'read'));
  guest = await as(service.build.member(organization.id, null));
  disabled = await as(service.build.member(organization.id, 'admin', { disabled: true }));
  stranger = await as(service.build.user());
});
afterAll(() => service.close());

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Each operation with the response status for a member who can only read, and for a guest. */
const OPERATIONS: [method: Method, path: string, reader: number, guest: number, body?: object][] = [
  ['get', '/orgs/{organizationId}/members', 200, 403],
  ['get', '/orgs/{organizationId}/members/{userId}', 200, 404],
  ['patch', '/orgs/{organizationId}/members/{userId}', 403, 403, { role: 'edit' }],
  ['delete', '/orgs/{organizationId}/members/{userId}', 403, 403],
  ['post', '/orgs/{organizationId}/members/{userId}/sso', 403, 403],
  ['get', '/orgs/{organizationId}/members/{userId}/spaces', 200, 404],
  ['get', '/orgs/{organizationId}/members/{userId}/teams', 200, 404],
  ['post', '/orgs/{organizationId}/ping', 200, 200],
  ['get', '/orgs/{organizationId}/teams', 200, 403],
  ['put', '/orgs/{organizationId}/teams', 403, 403, { title: 'Team' }],
  ['get', '/orgs/{organizationId}/teams/{teamId}', 200, 404],
  ['patch', '/orgs/{organizationId}/teams/{teamId}', 403, 404, { title: 'Team' }],
  ['delete', '/orgs/{organizationId}/teams/{teamId}', 403, 204],
  ['get', '/orgs/{organizationId}/teams/{teamId}/members', 200, 404],
  ['put', '/orgs/{organizationId}/teams/{teamId}/members', 403, 404],
  ['put', '/orgs/{organizationId}/teams/{teamId}/members/{userId}', 403, 404],
  ['delete', '/orgs/{organizationId}/teams/{teamId}/members/{userId}', 403, 204],
];

const fill = (path: string, values: Record<string, string>) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');

const call = async (client: Client, method: Method, path: string, body?: object) =>
  (method === 'get' || method === 'delete' ? await client[method](path) : await client[method](path, body))
    .status;

describe.each(OPERATIONS)('%s %s', (method, path, forReader, forGuest, body) => {
  const hidden = method === 'delete' ? 204 : 404;

  test('the operation requires a token, and hides the organization from non-members', async () => {
    const at = fill(path, known);
    expect(await call(service.as(), method, at, body)).toBe(401);
    expect(await call(stranger, method, at, body)).toBe(hidden);
    expect(await call(disabled, method, at, body)).toBe(hidden);
  });

  test('the operation responds according to the role', async () => {
    expect(await call(reader, method, fill(path, known), body)).toBe(forReader);
    expect(await call(guest, method, fill(path, known), body)).toBe(forGuest);
  });

  test('the operation finds nothing with an unknown id, well formed or not', async () => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
    for (const name of names) {
      for (const id of ['zzzzzzzzzzzzzzzzzzzz', 'no-id', '%20', '__proto__']) {
        expect(await call(admin, method, fill(path, { ...known, [name]: id }), body), `${name}=${id}`).toBe(
          hidden,
        );
      }
    }
  });
});
