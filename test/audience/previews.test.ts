import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { buildScene, type Scene, visit } from './scene.ts';

let service: TestService;
let scene: Scene;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  scene = await buildScene(service);
  await scene.update({ visibility: 'visitor-auth' });
});

const preview = (query = '') => scene.admin.get(`${scene.at}/publishing/preview${query}`);
const tokenIn = async (query?: string) =>
  new URL((await expectOk(preview(query))).url).searchParams.get('jwt_token') as string;

test('a preview shows a site before it is published, with the claims that the admin chose', async () => {
  await scene.update({ published: false });
  const claims = encodeURIComponent('(isPro:!t,plan:pro,unsigned:(isBeta:!f))');
  const visitorToken = await tokenIn(`?claims=${claims}`);
  const visited = await visit(service, scene, { visitorToken });
  expect(visited).toMatchObject({
    outcome: 'found',
    visitor: { claims: { signed: { isPro: true, plan: 'pro' }, unsigned: { isBeta: false } } },
  });
  const { pass } = visited.outcome === 'found' ? visited.visitor : { pass: {} };
  expect((await (await scene.visitor({}, pass)).get(scene.space.at)).status).toBe(200);
  expect((await (await scene.visitor({}, { ...pass, preview: undefined })).get(scene.space.at)).status).toBe(
    404,
  );
});

test('a preview opens only its own site, even if another has the same key', async () => {
  const other = await buildScene(service);
  const { auth_key: authKey } = await service.runtime.database.db
    .selectFrom('site')
    .select('auth_key')
    .where('id', '=', scene.site)
    .executeTakeFirstOrThrow();
  await other.update({ visibility: 'visitor-auth', authKey });
  const visitorToken = await tokenIn();
  expect((await visit(service, other, { visitorToken })).outcome).toBe('needs-authentication');
});

test.for(['public', 'unlisted', 'share-link', 'visitor-auth'] as const)(
  'a preview opens a site with the visibility %s',
  async (visibility) => {
    await scene.update({ visibility, published: false });
    const { url } = await expectOk(preview(`?siteSpace=${scene.siteSpace}`));
    const { body } = await service.as().post('/urls/published', { url });
    expect(body).toMatchObject({ site: scene.site, space: scene.space.id });
    expect((await service.as(body.apiToken).get(scene.space.at)).status).toBe(200);
  },
);

test('a preview opens the site whatever its claims', async () => {
  const roles = Array.from({ length: 800 }, (_, index) => `r${index}`).join(',');
  const { url } = await expectOk(preview(`?claims=${encodeURIComponent(`(roles:!(${roles}))`)}`));
  expect((await service.as().post('/urls/published', { url })).body).toMatchObject({ site: scene.site });
  const query = `url=${encodeURIComponent(url)}`;
  expect((await service.as().get(`/urls/published?${query}`)).body).toMatchObject({ site: scene.site });
});

test('a preview opens the chosen site space', async () => {
  expect((await preview(`?siteSpace=${scene.siteSpace}`)).status).toBe(200);
  expect((await preview(`?siteSpace=${(await buildScene(service)).siteSpace}`)).status).toBe(404);
});

test.for(['pro', '!(a)', '(a', '(a:)', '{"a":', '(unsigned:a)', `(a:${'a'.repeat(5000)})`, '('.repeat(2000)])(
  'a preview has no claims like %s',
  async (claims) => {
    expect((await preview(`?claims=${encodeURIComponent(claims)}`)).status).toBe(400);
  },
);
