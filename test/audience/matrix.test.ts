import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newAuthKey, openAuthKey } from '../../routers/audience/auth-key.ts';
import { SITE_VISIBILITIES } from '../../schema/enums.ts';
import type { Client } from '../helpers/service.ts';
import { made, startTestService, type TestService } from '../helpers/service.ts';
import { buildScene, type Scene } from './scene.ts';

let service: TestService;
let scene: Scene;
let other: Scene;
/** Addresses of the site: without a share key, and with that of a link. */
let address: string;
let keyed: Record<'right' | 'inactive', string>;
beforeAll(async () => {
  service = await startTestService();
  [scene, other] = [await buildScene(service), await buildScene(service)];
  await scene.update({ defaultLevel: 'inherit', visibility: 'share-link' });
  const links = `${scene.at}/share-links`;
  const right = await made(scene.admin.post(links, { name: 'Right' }));
  const inactive = await made(scene.admin.post(links, { name: 'Inactive' }));
  await made(scene.admin.patch(`${links}/${inactive.id}`, { active: false }));
  keyed = { right: right.urls.published, inactive: inactive.urls.published };
  address = keyed.right.slice(0, keyed.right.lastIndexOf('/'));
});
afterAll(() => service.close());

const jwt = (key: string, expires = '1h') =>
  new SignJWT({ isPro: true })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(expires)
    .sign(Buffer.from(key));

/** What visitors come with: the address that they open, and their token. */
const EVIDENCE = {
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
type Came = keyof typeof EVIDENCE;

/** By hand: who is let into a published site. Nobody is into one that is not published. */
const LETS_IN: Record<(typeof SITE_VISIBILITIES)[number], Partial<Record<Came, 200>> | 'everyone'> = {
  public: 'everyone',
  unlisted: 'everyone',
  'share-link': { 'the right share key': 200 },
  'visitor-auth': { 'the right token': 200, 'the right token in the address': 200 },
};
/** What the others are told: only a site that authenticates its visitors says that it is there. */
const OTHERS: Record<(typeof SITE_VISIBILITIES)[number], 401 | 404> = {
  public: 404,
  unlisted: 404,
  'share-link': 404,
  'visitor-auth': 401,
};

/** All that a visitor may read, as paths. */
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

  test.for(Object.keys(EVIDENCE) as Came[])('a visitor with %s sees what it is for', async (came) => {
    const lets = LETS_IN[visibility];
    const isIn = published && (lets === 'everyone' || lets[came] === 200);
    const { url, token } = { token: undefined, ...(await EVIDENCE[came]()) };
    const visitor = token === undefined ? undefined : { jwtToken: token };
    const { status, body } = await service.as().post('/urls/published', { url, visitor });
    expect(status).toBe(isIn ? 200 : published ? OTHERS[visibility] : 404);
    if (!isIn) return;
    expect(body).toMatchObject({ site: scene.site, space: scene.space.id });
    const reader = service.as(body.apiToken);
    expect(await statuses(reader, scene)).toEqual([200]);
    expect(await statuses(reader, other)).toEqual([404]);
  });

  test('users see what their roles allow', async () => {
    const { build, as } = service;
    const { token } = await build.member(scene.organization, 'read');
    expect(await statuses(as(token), scene)).toEqual([200]);
    expect(await statuses(other.admin, scene)).toEqual([404]);
    expect(await statuses(as(), scene)).toEqual([401]);
  });
});
