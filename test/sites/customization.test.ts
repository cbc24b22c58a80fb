import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** A site with two site spaces. */
async function start() {
  const { id, admin } = await service.build.organization();
  const spaces = [await service.build.space(id), await service.build.space(id)].map((space) => space.id);
  const { id: siteId } = await service.build.site(id, { spaces });
  const site = `/orgs/${id}/sites/${siteId}`;
  const me = service.as(admin.token);
  const [one, two] = (await me.get(`${site}/site-spaces`)).body.items;
  return { id, me, site, one: one.id as string, two: two.id as string };
}

const settingsOf = async (me: Client, at: string) => (await me.get(`${at}/customization`)).body;

describe('the customization of a site', () => {
  test('the customization of a site has defaults at first, and can be set as a whole', async () => {
    const { me, site } = await start();
    const before = await settingsOf(me, site);
    expect(before).toMatchObject({
      styling: { theme: 'clean', font: 'Inter', sidebar: { list: 'default' } },
      header: { preset: 'default', links: [] },
      favicon: {},
      insights: { trackingCookie: true },
    });
    const link = { title: 'Home', to: { kind: 'url', url: 'https://example.com/' }, links: [] };
    const settings = {
      ...before,
      title: 'The docs',
      styling: { ...before.styling, theme: 'bold', primaryColor: { light: '#123', dark: '#ABCDEF' } },
      header: { preset: 'custom', links: [{ ...link, condition: 'visitor.claims.isBeta' }] },
      footer: { groups: [{ title: 'More', links: [] }], copyright: '© 2026' },
      favicon: { emoji: '🎉' },
      announcement: { enabled: true, message: 'New!', style: 'info' },
    };
    const { status, body } = await me.put(`${site}/customization`, settings);
    expect(status).toBe(200);
    expect(body).toEqual({ ...settings, favicon: { emoji: '1f389' } });
    expect(await settingsOf(me, site)).toEqual(body);
    expect((await me.put(`${site}/customization`, body)).body).toEqual(body);
    const shown = (await me.get(site)).body;
    expect(shown.icon).toEqual({ emoji: '1f389' });
    const advanced = shown.features.find(({ id }: { id: string }) => id === 'sites-advanced-customization');
    expect(advanced.customizations).toEqual(['theme-preset', 'footer-links', 'footer-copyright']);
    expect((await me.put(`${site}/customization`, before)).body).toEqual(before);
  });

  test('the customization of a site is changed setting by setting, and reset to defaults', async () => {
    const { me, site } = await start();
    const before = await settingsOf(me, site);
    const change = (settings: object) => me.patch(`${site}/customization`, settings);
    const { status, body } = await change({
      title: 'Docs',
      styling: { theme: 'bold' },
      ai: { mode: 'search' },
    });
    expect([status, body]).toEqual([
      200,
      { ...before, title: 'Docs', styling: { ...before.styling, theme: 'bold' }, ai: { mode: 'search' } },
    ]);
    expect((await change({ title: null, ai: { mode: null } })).body).toEqual({
      ...before,
      styling: { ...before.styling, theme: 'bold' },
    });
    expect((await change({ styling: { theme: 'dark' } })).status).toBe(400);
    expect((await change({ styling: { theme: null } })).body).toEqual(before);
    expect(await settingsOf(me, site)).toEqual(before);
  });

  test('the fonts of a site are changed and reset like any other setting', async () => {
    const { me, site } = await start();
    const customization = `${site}/customization`;
    const fontsAfter = async (styling: object) => {
      const { font, monospaceFont } = (await me.patch(customization, { styling })).body.styling;
      return [font, monospaceFont];
    };
    expect(await fontsAfter({ font: 'Roboto' })).toEqual(['Roboto', 'IBMPlexMono']);
    expect(await fontsAfter({ monospaceFont: 'FiraCode' })).toEqual(['Roboto', 'FiraCode']);
    expect(await fontsAfter({ font: null, monospaceFont: null })).toEqual(['Inter', 'IBMPlexMono']);
    expect((await me.patch(customization, { styling: { font: 'Comic' } })).status).toBe(400);
  });

  test('the customization of a site cannot exceed its limit by successive changes', async () => {
    const { me, site } = await start();
    const title = 'x'.repeat(256);
    const links = Array(60).fill({ title, to: null, links: [] });
    const groups = Array(60).fill({ title, links: [] });
    expect((await me.patch(`${site}/customization`, { header: { links } })).status).toBe(200);
    expect((await me.patch(`${site}/customization`, { footer: { groups } })).status).toBe(400);
    expect((await settingsOf(me, site)).footer.groups).toEqual([]);
  });

  const font = {
    id: 'own',
    custom: true,
    fontFamily: 'Own Font',
    fontFaces: [{ weight: 400, sources: [{ url: 'https://example.com/font.woff2', format: 'woff2' }] }],
  };
  const linkTo = (url: string) => ({
    header: { preset: 'default', links: [{ title: 'X', to: { kind: 'url', url }, links: [] }] },
  });

  test.each(['https://example.com', 'mailto:me@example.com', 'tel:+1', '/path', '#anchor', 'page'])(
    'the customization of a site links to %s',
    async (url) => {
      const { me, site } = await start();
      const settings = { ...(await settingsOf(me, site)), ...linkTo(url) };
      expect((await me.put(`${site}/customization`, settings)).status).toBe(200);
    },
  );

  test('the customization of a site accepts custom fonts', async () => {
    const { me, site } = await start();
    const { styling, ...others } = await settingsOf(me, site);
    const settings = { ...others, styling: { ...styling, font, monospaceFont: { ...font, id: 'mono' } } };
    expect((await me.put(`${site}/customization`, settings)).body.styling.font).toEqual(font);
  });

  test.for<[string, object, object?]>([
    ['nothing', {}, {}],
    ['a color by name', { styling: { primaryColor: { light: 'red', dark: '#000' } } }],
    ['a color without a dark one', { styling: { primaryColor: { light: '#fff' } } }],
    ['an unknown theme', { styling: { theme: 'dark' } }],
    ['an unknown font', { styling: { font: 'Comic Sans' } }],
    [
      'a font that ends a style',
      { styling: { font: { ...font, fontFamily: 'X"; } body { display: none' } } },
    ],
    ['a font without faces', { styling: { font: { ...font, fontFaces: [] } } }],
    ['a script as a link', linkTo('javascript:alert(1)')],
    ['a script as a link, in disguise', linkTo(' java\tscript:alert(1)')],
    ['data as a link', linkTo('data:text/html,<script>')],
    ['a link of 2,049 characters', linkTo(`https://example.com/${'x'.repeat(2030)}`)],
    ['a script as an image', { favicon: { icon: { light: 'javascript:1', dark: 'https://example.com' } } }],
    ['a favicon of no kind', { favicon: { image: 'https://example.com' } }],
    ['a text as a favicon', { favicon: { emoji: 'x' } }],
    ['an unknown style of icons', { styling: { icons: 'huge' } }],
    ['a short announcement', { announcement: { enabled: true, message: 'x', style: 'info' } }],
    ['a long copyright', { footer: { groups: [], copyright: 'x'.repeat(301) } }],
    [
      'more than 32,000 characters',
      {
        footer: { groups: Array(100).fill({ title: 'x'.repeat(256), links: [] }), copyright: '' },
        header: {
          preset: 'default',
          links: Array(100).fill({ title: 'x'.repeat(256), to: null, links: [] }),
        },
      },
    ],
    [
      'a condition with a call',
      { header: { preset: 'default', links: [{ title: 'X', to: null, links: [], condition: 'alert()' }] } },
    ],
  ])('the customization of a site refuses %s', async ([, changes, base]) => {
    const { me, site } = await start();
    const settings = base ?? (await settingsOf(me, site));
    const { styling, ...others } = changes as { styling?: object };
    const body = { ...settings, ...others, ...(styling && { styling: { ...settings.styling, ...styling } }) };
    expect((await me.put(`${site}/customization`, body)).status).toBe(400);
  });
});

test('the problem of a favicon names the property that is wrong', async () => {
  const { me, site } = await start();
  const { status, body } = await me.patch(`${site}/customization`, { favicon: { emoji: 'a' } });
  expect(status).toBe(400);
  expect(body.error.message).toContain('`favicon.emoji` must be one emoji');
});

test('the customization of a site space is that of the site except for its own settings', async () => {
  const { me, site, one, two } = await start();
  const at = `${site}/site-spaces/${one}`;
  const before = await settingsOf(me, site);
  expect(await settingsOf(me, at)).toEqual(before);
  const changes = {
    title: 'Version 2',
    styling: { theme: 'bold', tint: { color: { light: '#111', dark: '#222' } }, sidebar: { list: 'line' } },
    favicon: { emoji: '1f389' },
    pdf: { enabled: false },
  };
  const { status, body } = await me.patch(`${at}/customization`, changes);
  expect(status).toBe(200);
  expect(body).toEqual({
    ...before,
    ...changes,
    styling: { ...before.styling, ...changes.styling, sidebar: { background: 'default', list: 'line' } },
    pageActions: { ...before.pageActions, items: ['external-ai', 'markdown', 'mcp'] },
  });
  await me.put(`${site}/customization`, { ...before, themes: { default: 'dark', toggeable: false } });
  expect(await settingsOf(me, at)).toEqual({ ...body, themes: { default: 'dark', toggeable: false } });
  expect((await settingsOf(me, `${site}/site-spaces/${two}`)).title).toBeUndefined();
});

test('setting the customization of a site space as a whole resets all other settings to those of the site', async () => {
  const { me, site, one } = await start();
  const at = `${site}/site-spaces/${one}`;
  const before = await settingsOf(me, at);
  await me.patch(`${at}/customization`, { title: 'Title' });
  const { status, body } = await me.put(`${at}/customization`, { styling: { theme: 'bold' } });
  expect([status, body]).toEqual([200, { ...before, styling: { ...before.styling, theme: 'bold' } }]);
  expect((await me.put(`${at}/customization`, {})).body).toEqual(before);
  expect((await me.put(`${at}/customization`, { styling: { theme: 'dark' } })).status).toBe(400);
});

test('the settings of a site space are reset one by one, or all at once', async () => {
  const { me, site, one } = await start();
  const at = `${site}/site-spaces/${one}`;
  const before = await settingsOf(me, at);
  await me.patch(`${at}/customization`, {
    title: 'Title',
    styling: { theme: 'bold', corners: 'straight' },
  });
  const kept = await me.patch(`${at}/customization`, { title: null, styling: { theme: null } });
  expect(kept.body).toEqual({ ...before, styling: { ...before.styling, corners: 'straight' } });
  expect((await me.patch(`${at}/customization`, { styling: { corners: null } })).body).toEqual(before);
  expect((await me.delete(`${at}/customization`)).status).toBe(204);
  await me.patch(`${at}/customization`, { styling: { theme: 'bold' } });
  expect((await me.delete(`${at}/customization`)).status).toBe(205);
  expect(await settingsOf(me, at)).toEqual(before);
});

test.for([
  { styling: { theme: 'dark' } },
  { styling: { primaryColor: { light: 'red', dark: 'red' } } },
  { header: { links: [{ title: 'X', to: { kind: 'url', url: 'javascript:1' }, links: [] }] } },
  { header: { links: [{ title: 'X', to: null, links: [], condition: 'a()' }] } },
  { favicon: { emoji: 'no' } },
  { privacyPolicy: { url: 'nowhere' } },
])('the customization of a site space refuses %j', async (body) => {
  const { me, site, one } = await start();
  expect((await me.patch(`${site}/site-spaces/${one}/customization`, body)).status).toBe(400);
});

test('the published site has its structure, and the customization of each site space', async () => {
  const { me, site, one, two } = await start();
  await me.patch(`${site}/site-spaces/${two}/customization`, { styling: { theme: 'bold' } });
  const { status, body } = await me.get(`${site}/published`);
  expect(status).toBe(200);
  const settings = await settingsOf(me, site);
  expect(body).toMatchObject({
    object: 'published-content-site',
    structure: { type: 'siteSpaces', structure: [{ id: one }, { id: two }] },
    customizations: { site: settings },
    scripts: [],
  });
  expect(body.site).toEqual((await me.get(site)).body);
  expect(Object.keys(body.customizations.siteSpaces)).toEqual([one, two]);
  expect(body.customizations.siteSpaces[one]).toEqual(settings);
  expect(body.customizations.siteSpaces[two].styling.theme).toBe('bold');
});

test('the published site has no sections without visible spaces, not even for admins', async () => {
  const { id, me, site, one, two } = await start();
  await me.post(`${site}/section-groups`, { title: 'Empty' });
  const space = await service.build.space(id, { title: 'More' });
  await me.post(`${site}/sections`, { spaceId: space.id });
  for (const siteSpace of [one, two]) await me.delete(`${site}/site-spaces/${siteSpace}`);
  expect((await me.get(`${site}/structure`)).body.structure).toHaveLength(3);
  expect((await me.get(`${site}/published`)).body.structure).toMatchObject({
    type: 'sections',
    structure: [{ title: 'More', default: true }],
  });
});
