import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newAuthKey, openAuthKey } from '../../routers/audience/auth-key.ts';
import { SITE_VISIBILITIES } from '../../schema/enums.ts';
import type { Client } from '../helpers/service.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { buildScene, type Scene } from './scene.ts';

let service: TestService;
let scene: Scene;
let other: Scene;
/** The addresses of the site, without and with a share key. */
let address: string;
let keyed: Record<'right' | 'inactive', string>;
beforeAll(async () => {
  service = await startTestService();
  [scene, other] = [await buildScene(service), await buildScene(service)];
  await scene.update({ defaultLevel: 'inherit', visibility: 'share-link' });
  const links = `${scene.at}/share-links`;
  const right = await expectOk(scene.admin.post(links, { name: 'Right' }));
  const inactive = await expectOk(scene.admin.post(links, { name: 'Inactive' }));
  await expectOk(scene.admin.patch(`${links}/${inactive.id}`, { active: false }));
  keyed = { right: right.urls.published, inactive: inactive.urls.published };
  address = keyed.right.slice(0, keyed.right.lastIndexOf('/'));
});
afterAll(() => service.close());

const jwt = (key: string, expires = '1h') =>
  new SignJWT({ isPro: true })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(expires)
    .sign(Buffer.from(key));

/** What visitors present: the address that they open, and their token. */
const CREDENTIALS = {
  nothing: async () => ({ url: address }),
  'the right share key': async () => ({ url: keyed.right }),
  'a wrong share key': async () => ({ url: `${keyed.right.slice(0, -4)}AAAA` }),
  'an inactive share key': async () => ({ url: keyed.inactive }),
  'the right token': async () => ({ url: address, token: await jwt(scene.authKey) }),
  'the right token in the address': async () => ({ url: `${address}?jwt_token=${await jwt(scene.authKey)}` }),
  'a token of another key': async () => ({
    url: address,
    token: await jwt(
      openAuthKey(service.runtime.services.signer, newAuthKey(service.runtime.services.signer)),
    ),
  }),
  'an expired token': async () => ({ url: address, token: await jwt(scene.authKey, '-2m') }),
  'the token of another site': async () => ({ url: address, token: await jwt(other.authKey) }),
  'an unsigned token': async () => {
    const [, payload] = (await jwt(scene.authKey)).split('.');
    return { url: address, token: `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.` };
  },
} satisfies Record<string, () => Promise<{ url: string; token?: string }>>;
type Credential = keyof typeof CREDENTIALS;

/** Written by hand: who may visit a published site. Nobody may visit a site that is not published. */
const ADMITTED: Record<(typeof SITE_VISIBILITIES)[number], Partial<Record<Credential, 200>> | 'everyone'> = {
  public: 'everyone',
  unlisted: 'everyone',
  'share-link': { 'the right share key': 200 },
  'visitor-auth': { 'the right token': 200, 'the right token in the address': 200 },
};
/** What others get: only a site that authenticates its visitors reveals that it exists. */
const REFUSALS: Record<(typeof SITE_VISIBILITIES)[number], 401 | 404> = {
  public: 404,
  unlisted: 404,
  'share-link': 404,
  'visitor-auth': 401,
};

/** The paths of everything that a visitor may read. */
const ways = ({ at, space }: Scene): string[] => [
  at,
  `${at}/structure`,
  `${at}/published`,
  `${at}/sections`,
  `${at}/site-spaces`,
  ...[
    '',
    '/content',
    '/content/pages',
    `/content/page/${space.pages.Start}?format=document`,
    '/content/path/start',
    `/content/files/${space.file}`,
    `/revisions/${space.revision}?metadata=false`,
    `/revisions/${space.revision}/page/${space.pages.Start}/document?evaluated=deterministic-only`,
    `/revisions/${space.revision}/path/start?format=markdown`,
    `/revisions/${space.revision}/files/${space.file}`,
  ].map((way) => space.at + way),
];

async function statuses(client: Client, of: Scene): Promise<number[]> {
  const answers = await Promise.all(ways(of).map((way) => client.get(way)));
  return [...new Set(answers.map(({ status }) => status))];
}

const cases = SITE_VISIBILITIES.flatMap((visibility) =>
  [true, false].map((published) => [visibility, published] as const),
);

describe.for(cases)('a site with the visibility %s that is published: %s', ([visibility, published]) => {
  beforeAll(() => scene.update({ visibility, published }));

  test.for(Object.keys(CREDENTIALS) as Credential[])(
    'a visitor with %s gets exactly what it gives access to',
    async (credential) => {
      const lets = ADMITTED[visibility];
      const isIn = published && (lets === 'everyone' || lets[credential] === 200);
      const { url, token } = { token: undefined, ...(await CREDENTIALS[credential]()) };
      const visitor = token === undefined ? undefined : { jwtToken: token };
      const { status, body } = await service.as().post('/urls/published', { url, visitor });
      expect(status).toBe(isIn ? 200 : published ? REFUSALS[visibility] : 404);
      if (!isIn) return;
      expect(body).toMatchObject({ site: scene.site, space: scene.space.id });
      const reader = service.as(body.apiToken);
      expect(await statuses(reader, scene)).toEqual([200]);
      expect(await statuses(reader, other)).toEqual([404]);
    },
  );

  test('a user reads the site according to their role, whatever its visibility', async () => {
    const { build, as } = service;
    const { token } = await build.member(scene.organization, 'read');
    expect(await statuses(as(token), scene)).toEqual([200]);
    expect(await statuses(other.admin, scene)).toEqual([404]);
    expect(await statuses(as(), scene)).toEqual([401]);
  });
});
