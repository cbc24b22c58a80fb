import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCaller } from '../../routers/index.ts';
import { toolContext } from '../../server/context.ts';
import { differences } from '../contract/differences.ts';
import { makeFolder } from '../helpers/folders.ts';
import { violationsOf } from '../helpers/published-documents.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { PACKAGES, type Published } from './packages.ts';

/**
 * A repository with everything that a renderer shows. `DOCS_FOLDER` is another one to try instead, and `DOCS_PAGES` how
 * many of its pages to read.
 */
const REPOSITORY: Readonly<Record<string, string>> = {
  '.gitbook.yaml': 'root: ./docs/\nredirects:\n  old/start: guides/start.md\n',
  'docs/README.md': '# Welcome\n\nRead the [guide](guides/start.md), or <https://example.com>.\n',
  'docs/guides/start.md':
    '---\ndescription: How to begin\nicon: rocket\n---\n\n# Start here\n\n{% hint style="info" %}\nMind the *gap*.\n{% endhint %}\n\n![A dot](../.gitbook/assets/dot.png)\n\n{% include "../.gitbook/includes/note.md" %}\n',
  'docs/guides/more.md':
    '# More\n\n* one\n* two\n\n```js\nconst a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
  'docs/guides/مقدمة 介紹.md': '# مقدمة\n\nRead the [guide](start.md).\n',
  'docs/.gitbook/includes/note.md': '---\ntitle: Note\n---\n\nThe same everywhere.\n',
  'docs/.gitbook/assets/dot.png': 'not an image, but a file',
  'docs/SUMMARY.md':
    '# Table of contents\n\n* [Welcome](README.md)\n\n## Guides\n\n* [Start here](guides/start.md)\n  * [More](guides/more.md)\n  * [مقدمة](<guides/مقدمة 介紹.md>)\n* [Elsewhere](https://example.com)\n',
};

let service: TestService;
let folder: string;
let endpoint: string;
/** The published address of the site. */
let root: string;
/** The redirects that came with the repository. */
let redirects: { source: string }[];
beforeAll(async () => {
  service = await startTestService();
  folder = process.env.DOCS_FOLDER ?? (await writeRepository());
  const { id: organization, admin: person } = await service.build.organization();
  const admin = service.as(person.token);
  const space = (await service.build.space(organization)).id;
  const site = await admin.post(`/orgs/${organization}/sites`, { title: 'Docs', spaces: [space] });
  expect(site.status).toBe(201);
  const { database, services } = service.runtime;
  const operator = createCaller(toolContext(database, services));
  await operator.installation.content.importFolder({ folder, space, organization, site: site.body.id });
  expect((await admin.post(`/orgs/${organization}/sites/${site.body.id}/publish`)).status).toBeLessThan(300);

  const listed = await admin.get(`/orgs/${organization}/sites/${site.body.id}/redirects?limit=1000`);
  redirects = listed.body.items;
  if (process.env.DOCS_FOLDER === undefined) expect(redirects).toMatchObject([{ source: '/old/start' }]);

  endpoint = await service.app.listen({ port: 0, host: '127.0.0.1' });
  const { urls } = (await admin.get(`/orgs/${organization}/sites/${site.body.id}`)).body;
  root = urls.published.replace(/\/$/, '');
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

interface Page {
  id: string;
  type: string;
  path: string;
  pages?: Page[];
}

const flat = (pages: Page[]): Page[] => pages.flatMap((page) => [page, ...flat(page.pages ?? [])]);

/** Pages, redirects and files of a large repository that are read, spread evenly over it. */
const MOST = Number(process.env.DOCS_PAGES ?? 20);

/** The published schemas are large: compiling them takes most of the time. */
const LONG = { timeout: 300_000 };

const sampled = <Item>(items: readonly Item[]): Item[] =>
  items.filter(
    (_, index) =>
      Math.floor((index * MOST) / items.length) !== Math.floor(((index - 1) * MOST) / items.length),
  );

const REVISION = '/spaces/{spaceId}/revisions/{revisionId}';

type Reference = { kind: string; page?: string; file?: string; space?: string };

const referencesIn = (value: unknown): Reference[] => {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'kind' in value && ('page' in value || 'file' in value) ? [value as Reference] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
};

describe.for(PACKAGES)('the renderer with $version', ({ GitBookAPI, client }) => {
  /** With the token of a visitor. */
  let renderer: Published;
  /** The result of resolving the site's URL. */
  let found: Record<'site' | 'siteSpace' | 'space' | 'organization' | 'apiToken' | 'pathname', string>;
  beforeAll(async () => {
    renderer = new GitBookAPI({ endpoint });
    ({ data: found } = await renderer.urls.resolvePublishedContentByUrl({ url: `${root}/` }));
    renderer = new GitBookAPI({ authToken: found.apiToken, endpoint });
  });

  /** The data of a response, which must match the published schema; documents may also contain unknown nodes. */
  async function valid(path: string, response: Promise<{ status: number; data: Published }>, method = 'GET') {
    const { status, data } = await response;
    const found =
      data.object === 'document'
        ? violationsOf(data)
        : differences({ method, path }, { status, body: data }, client);
    expect(found).toEqual([]);
    return data;
  }

  /** The pages and files that a document refers to and that cannot be read. */
  async function danglingIn(
    document: unknown,
    at: readonly [string, string],
    { files }: { files: { id: string }[] },
  ): Promise<unknown[]> {
    const found = await Promise.all(
      referencesIn(document).map(async (reference) => {
        if (reference.space !== undefined) return [];
        if (reference.kind === 'file')
          return files.some(({ id }) => id === reference.file) ? [] : [reference];
        if (reference.page === undefined) return [];
        const response = await renderer.spaces
          .getPageInRevisionById(...at, reference.page, { metadata: false })
          .catch((error: unknown) => error);
        return response.data?.id === reference.page ? [] : [reference];
      }),
    );
    return found.flat();
  }

  test(
    'every request of the renderer gets the response that the published client expects, and only with the token',
    LONG,
    async () => {
      const { organization, site, space: spaceId } = found;
      const published = await valid(
        '/orgs/{organizationId}/sites/{siteId}/published',
        renderer.orgs.getPublishedContentSite(organization, site),
      );
      expect(published).toMatchObject({ site: { id: site }, structure: { type: 'siteSpaces' } });
      const space = await valid('/spaces/{spaceId}', renderer.spaces.getSpaceById(spaceId));
      const at = [spaceId, space.revision] as const;
      const revision = await valid(
        REVISION,
        renderer.spaces.getRevisionById(...at, { metadata: true, computed: false }),
      );
      const pages = flat(revision.pages).filter(({ type }) => type === 'document');
      expect(pages.length).toBeGreaterThan(2);
      for (const page of sampled(pages)) {
        const document = await valid(
          `${REVISION}/page/{pageId}/document`,
          renderer.spaces.getPageDocumentInRevisionById(...at, page.id, { evaluated: 'deterministic-only' }),
        );
        expect(await danglingIn(document, at, revision), page.path).toEqual([]);
        const byPath = await valid(
          `${REVISION}/path/{pagePath}`,
          renderer.spaces.getPageInRevisionByPath(...at, encodeURIComponent(page.path)),
        );
        expect(byPath.id).toBe(page.id);
        const { data } = await renderer.urls.resolvePublishedContentByUrl({ url: `${root}/${page.path}` });
        // The renderer looks it up among the paths of the revision.
        expect(data.pathname).toBe(page.path);
        const markdown = await valid(
          `${REVISION}/page/{pageId}`,
          renderer.spaces.getPageInRevisionById(...at, page.id, { format: 'markdown' }),
        );
        expect(markdown.markdown).toMatch(/^# /);
      }
      for (const file of sampled<{ downloadURL: string }>(revision.files)) {
        const address = file.downloadURL.replace('http://docs.test', endpoint);
        const download = await fetch(address, { headers: { range: 'bytes=0-0' } });
        // One byte of a file; an empty one has none.
        expect([206, 416]).toContain(download.status);
        await download.arrayBuffer();
      }
    },
  );

  test('the redirects of the repository lead to its pages', LONG, async () => {
    const { organization, site } = found;
    for (const { source } of sampled(redirects)) {
      const { target } = await valid(
        '/orgs/{organizationId}/sites/{siteId}/redirect',
        renderer.orgs.getSiteRedirectBySource(organization, site, { source }),
      );
      const resolved = await valid(
        '/urls/published',
        renderer.urls.resolvePublishedContentByUrl({ url: target }),
        'POST',
      );
      const { data: space } = await renderer.spaces.getSpaceById(resolved.space);
      const path = encodeURIComponent(resolved.pathname.replace(/^\//, ''));
      const page = renderer.spaces.getPageInRevisionByPath(resolved.space, space.revision, path);
      expect((await page).status, source).toBe(200);
    }
  });

  test.skipIf(process.env.DOCS_FOLDER)('reusable contents of the pages can be read', async () => {
    const { data: space } = await renderer.spaces.getSpaceById(found.space);
    const { data: revision } = await renderer.spaces.getRevisionById(found.space, space.revision);
    const [note] = revision.reusableContents;
    await valid(
      `${REVISION}/reusable-contents/{reusableContentId}/document`,
      renderer.spaces.getReusableContentDocumentInRevisionById(found.space, space.revision, note.id),
    );
  });
});
