import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCaller } from '../../routers/index.ts';
import { toolContext } from '../../server/context.ts';
import { makeFolder } from '../helpers/folders.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { petstore, processSpecs } from '../helpers/specs.ts';
import { missingContent, type Walk, walkSite } from './reader.ts';

/** A repository with content that readers once missed; `DOCS_FOLDER` is another to try, `DOCS_PAGES` how many pages to read. */
const REPOSITORY: Readonly<Record<string, string>> = {
  '.gitbook.yaml': 'redirects:\n  old/start: guides/start.md\n',
  'README.md': `# Welcome

See [start](guides/start.md). <!-- a comment -->

{% embed url="https://example.com/film" %}

{% include ".gitbook/includes/note.md" %}
`,
  'guides/start.md': `# Start

{% stepper %}
{% step %}
## First

| a | b |
| - | - |
| 1 | 2 |
{% endstep %}
{% endstepper %}

{% hint style="info" %}
\`\`\`js
const a = 1;
\`\`\`
{% endhint %}

![A dot](../.gitbook/assets/dot.png)

{% openapi-operation spec="pets" path="/pets" method="get" %}
[Pets](https://example.com/pets.json)
{% endopenapi-operation %}
`,
  'guides/مقدمة 介紹.md': '# مقدمة\n\nRead the [start](start.md).\n',
  '.gitbook/includes/note.md': '---\ntitle: Note\n---\n\nThe same [everywhere](../../guides/start.md).\n',
  '.gitbook/assets/dot.png': 'not an image, but a file',
  'SUMMARY.md':
    '# Table of contents\n\n* [Welcome](README.md)\n\n## Guides\n\n* [Start](guides/start.md)\n  * [مقدمة](<guides/مقدمة 介紹.md>)\n* [Elsewhere](https://example.com)\n',
};

const { DOCS_FOLDER } = process.env;

let service: TestService;
let walk: Walk;
beforeAll(async () => {
  service = await startTestService();
  const { database, services } = service.runtime;
  const { id: organization, admin: person } = await service.build.organization();
  const admin = service.as(person.token);
  await expectOk(admin.post(`/orgs/${organization}/openapi`, { slug: 'pets', source: { text: petstore() } }));
  await processSpecs(service);
  const space = (await service.build.space(organization)).id;
  const site = await expectOk(admin.post(`/orgs/${organization}/sites`, { title: 'Docs', spaces: [space] }));
  const operator = createCaller(toolContext(database, services));
  const folder = DOCS_FOLDER ?? (await writeRepository());
  await operator.installation.content.importFolder({ folder, space, organization, site: site.id });
  const computed = {
    type: 'builtin:openapi',
    dependencies: { spec: { ref: { kind: 'openapi', spec: 'pets' } } },
  };
  const changes = [{ operation: 'insert_page', type: 'computed', title: 'API', computed }];
  await expectOk(admin.post(`/spaces/${space}/content`, { changes }));
  const { urls } = await expectOk(admin.post(`/orgs/${organization}/sites/${site.id}/publish`));
  const { items } = await expectOk(admin.get(`/orgs/${organization}/sites/${site.id}/redirects?limit=1000`));
  const endpoint = await service.app.listen({ port: 0, host: '127.0.0.1' });
  walk = await walkSite(endpoint, urls.published.replace(/\/$/, ''), {
    redirects: items.map(({ source }: { source: string }) => source),
    limits: { max: Number(process.env.DOCS_PAGES ?? 20) },
  });
}, 600_000);
afterAll(() => service.close());

async function writeRepository(): Promise<string> {
  const made = await makeFolder('docs');
  for (const [path, text] of Object.entries(REPOSITORY)) {
    await mkdir(dirname(join(made, path)), { recursive: true });
    await writeFile(join(made, path), text);
  }
  return made;
}

test('a reader that walks a whole site misses nothing', () => {
  expect(walk.missing).toEqual([]);
});

test.skipIf(DOCS_FOLDER)('the walk makes all requests that a renderer makes', () => {
  expect(Object.keys(walk.calls).sort()).toEqual(
    [
      'Markdown',
      'document',
      'embed',
      'file',
      'lookup of an address',
      'page by path',
      'published site',
      'redirect',
      'revision',
      'space',
      'specification',
    ].sort(),
  );
});

test.for([
  [{ object: 'block', type: 'paragraph' }, false],
  [{ object: 'block', type: 'updates' }, false],
  [{ object: 'block', type: 'unheard-of' }, true],
  [{ object: 'inline', type: 'paragraph' }, true],
  [{ object: 'block', type: 'markdown', data: { markdown: '<!-- a comment -->\n</div>' } }, false],
  [{ object: 'block', type: 'markdown', data: { markdown: '<x-y>Words</x-y>' } }, true],
] as const)('in %j something is missing: %s', ([node, isMissing]) => {
  expect(missingContent(node) !== undefined).toBe(isMissing);
});
