import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCaller } from '../../routers/index.ts';
import { toolContext } from '../../server/context.ts';
import { makeFolder } from '../helpers/folders.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { petstore } from '../helpers/specs.ts';
import { buildScene, IS_PRO, type Scene } from './scene.ts';

const REPOSITORY: Readonly<Record<string, string>> = {
  'README.md': `# Welcome

See [more](guides/more.md), [its part](guides/more.md#the-part), [secrets](secret.md), [here](#below) and <https://example.com>.

![A dot](.gitbook/assets/dot.png)

{% content-ref url="guides/more.md" %}
[more.md](guides/more.md)
{% endcontent-ref %}

{% include ".gitbook/includes/outer.md" %}

{% if visitor.claims.isPro %}
Only [for pros](secret.md).
{% endif %}

## Below
`,
  'guides/more.md': '# More\n\n## The part\n',
  'secret.md': '# Secret title\n',
  '.gitbook/includes/outer.md':
    '---\ntitle: Outer\n---\n\nOutside.\n\n{% include "inner.md" %}\n\n{% include "inner.md" %}\n',
  '.gitbook/includes/inner.md':
    '---\ntitle: Inner\n---\n\nInside of [more](../../guides/more.md).\n\n{% if visitor.claims.isPro %}\nPros inside.\n{% endif %}\n',
  '.gitbook/assets/dot.png': 'Bytes of a dot.',
  'SUMMARY.md':
    '# Table of contents\n\n* [Welcome](README.md)\n* [Secret title](secret.md)\n\n## Guides\n\n* [More](guides/more.md)\n',
};

let service: TestService;
let scene: Scene;
let home: string;
let secret: string;
beforeAll(async () => {
  service = await startTestService();
  scene = await buildScene(service);
  const folder = await makeFolder('markdown');
  for (const [path, text] of Object.entries(REPOSITORY)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const { database, services } = service.runtime;
  const operator = createCaller(toolContext(database, services));
  const { organization, space, admin } = scene;
  await operator.installation.content.importFolder({ folder, space: space.id, organization });
  home = (await expectOk(admin.get(`${space.at}/content/path/readme`))).id;
  secret = (await expectOk(admin.get(`${space.at}/content/path/secret`))).id;
  const changes = [{ operation: 'update_page', page: secret, condition: IS_PRO }];
  await expectOk(admin.post(`${space.at}/content`, { changes }));
});
afterAll(() => service.close());

const markdownFor = async (client: Client, page = home): Promise<string> =>
  (await expectOk(client.get(`${scene.space.at}/content/page/${page}?format=markdown`))).markdown;

test('the Markdown of a page for a visitor links to the addresses of pages on the site', async () => {
  const markdown = await markdownFor(await scene.visitor());
  const more = `http://docs.test/sites/${scene.site}/guides/more`;
  expect(markdown).toContain(`See [more](${more}), [its part](${more}#the-part)`);
  expect(markdown).toContain('[here](#below)');
  expect(markdown).toContain(`{% content-ref url="${more}" %}\n[More](${more})`);
  expect(markdown).not.toMatch(/\/(pages|files|reusable-contents)\/[\w-]{20}[)"#]/);
  const [, file] = /!\[A dot\]\(([^)]+)\)|<img src="([^"]+)"/.exec(markdown) ?? [];
  const { pathname, search } = new URL(file ?? '');
  expect((await service.app.inject({ url: pathname + search })).payload).toBe('Bytes of a dot.');
});

test('the Markdown of a page for a visitor contains the text of reusable contents, without what the visitor may not see', async () => {
  const plain = await markdownFor(await scene.visitor());
  expect(plain).not.toContain('include');
  expect(plain).toContain('Outside.');
  expect(plain).toMatch(/Inside of \[more\]\(http/);
  expect(plain).not.toContain('ros inside');
  expect(await markdownFor(await scene.visitor({ isPro: true }))).toContain('Pros inside.');
});

test('the Markdown of a page for a visitor links to where a link in the table of contents leads', async () => {
  const { admin, space } = scene;
  const insert = async (title: string, fields: object) => {
    const changes = [{ operation: 'insert_page', title, ...fields }];
    const { body } = await admin.post(`${space.at}/content`, { compat: false, changes });
    return body.changes.pages[0].id as string;
  };
  const url = 'https://example.com/docs';
  const outside = await insert('Outside', { type: 'link', target: { kind: 'url', url } });
  const inside = await insert('Inside', { type: 'link', target: { kind: 'page', page: home } });
  const document = { markdown: [outside, inside].map((id) => `[Link](/pages/${id})\n`).join('\n') };
  const page = await insert('With links', { document });
  expect(await markdownFor(await scene.visitor(), page)).toBe(
    `# With links\n\n[Link](${url})\n\n[Link](#)\n`,
  );
});

test('the Markdown of a page in a preview links to the future addresses of a site that is not published yet', async () => {
  await scene.update({ published: false, visibility: 'share-link' });
  const { url } = await expectOk(scene.admin.get(`${scene.at}/publishing/preview`));
  const found = await expectOk(service.as().post('/urls/published', { url }));
  const markdown = await markdownFor(service.as(found.apiToken));
  await scene.update({ published: true, visibility: 'public' });
  const more = `http://docs.test/sites/${scene.site}/preview/guides/more`;
  expect(markdown).toContain(`See [more](${more})`);
  expect(url).toContain(`/sites/${scene.site}/preview?`);
});

test('the Markdown of a page for a visitor links to the public OpenAPI specs that it names, and to no others', async () => {
  const { organization, admin } = scene;
  const specs = `/orgs/${organization}/openapi`;
  for (const slug of ['open', 'closed'])
    await expectOk(admin.post(specs, { slug, source: { text: petstore() } }));
  await expectOk(admin.patch(`${specs}/open`, { visibility: 'public' }));
  const { changes } = await expectOk(
    admin.post(`${scene.space.at}/content?compat=false`, {
      changes: [
        {
          operation: 'insert_page',
          title: 'APIs',
          document: { markdown: '[One](/openapi/open) and [another](/openapi/closed)' },
        },
      ],
    }),
  );
  const markdown = await markdownFor(await scene.visitor(), changes.pages[0].id);
  expect(markdown).toContain(`[One](http://docs.test/openapi/${organization}/open) and [another](#)`);
});

test('the Markdown of a computed page for a visitor says that its OpenAPI spec does not exist', async () => {
  const computed = {
    type: 'builtin:openapi',
    dependencies: { spec: { ref: { kind: 'openapi', spec: 'nothing' } } },
  };
  const { changes } = await expectOk(
    scene.admin.post(`${scene.space.at}/content?compat=false`, {
      changes: [{ operation: 'insert_page', type: 'computed', title: 'Nothing', computed }],
    }),
  );
  const markdown = await markdownFor(await scene.visitor(), changes.pages[0].id);
  expect(markdown).toContain('There is no OpenAPI spec "nothing".');
});

test('the Markdown of a page for a visitor reveals nothing of pages that the visitor may not see', async () => {
  const plain = await markdownFor(await scene.visitor());
  expect(plain).toContain('[secrets](#)');
  expect(plain).not.toMatch(/Secret title|\/secret|for pros/);
  const pro = await markdownFor(await scene.visitor({ isPro: true }));
  expect(pro).toContain(`[secrets](http://docs.test/sites/${scene.site}/secret)`);
  expect(pro).toContain('Only [for pros]');
});

test('the Markdown of a page for a visitor labels what the visitor may not see in the language of the space', async () => {
  const { admin, space } = scene;
  const markdown = `{% content-ref url="/pages/${secret}" %}\n[x](/pages/${secret})\n{% endcontent-ref %}`;
  const changes = [{ operation: 'insert_page', title: 'References', document: { markdown } }];
  await expectOk(admin.post(`${space.at}/content`, { changes }));
  const { id } = await expectOk(admin.get(`${space.at}/content/path/references`));
  const { language } = await expectOk(admin.get(space.at));
  await expectOk(admin.patch(space.at, { language: 'de' }));
  expect(await markdownFor(await scene.visitor(), id)).toContain('[Seite](#)');
  expect(await markdownFor(admin, id)).toContain('[Secret title]');
  await expectOk(admin.patch(space.at, { language }));
});

test('the Markdown of a page for a visitor has links with the key of the share link that the visitor used', async () => {
  await scene.update({ visibility: 'share-link' });
  const markdown = await markdownFor(await scene.visitor({}, { link: scene.link.id }));
  expect(markdown).toContain(`[more](http://docs.test/sites/${scene.site}/${scene.link.key}/guides/more)`);
  await scene.update({ visibility: 'public' });
});

test('the Markdown of a page for a member is as stored, so that they can send it back', async () => {
  const markdown = await markdownFor(scene.admin);
  expect(markdown).toMatch(/\[more\]\(\/pages\/[\w-]{20}\)/);
  expect(markdown).toContain('{% include');
});
