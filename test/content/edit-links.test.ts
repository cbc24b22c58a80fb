import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { editedSpace } from './edited-space.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

type Json = { [key: string]: Json } | Json[] | string | number | boolean | null;

/** The targets of all links of a document, in order. */
function refsIn(value: Json): Json[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(refsIn);
  return 'kind' in value && typeof value.kind === 'string' && value.kind !== 'soft'
    ? [value]
    : Object.values(value).flatMap(refsIn);
}

/** A space of nested pages, their ids by title, and a function that resolves links in a page. */
async function linkedSpace() {
  const space = await editedSpace(service, {});
  const { editor, content } = space;
  const insert = (title: string, more: object = {}) => ({
    operation: 'insert_page',
    title,
    ref: title,
    ...more,
  });
  const { body } = await editor.post(`${content}?compat=false`, {
    changes: [
      insert('Home'),
      insert('Guide'),
      insert('Install', { into: 'Guide' }),
      insert('Configure', { into: 'Guide' }),
      insert('Linux', { into: 'Install' }),
      insert('Configure2', { title: 'Configure' }),
    ],
  });
  const ids: Record<string, string> = {};
  for (const page of body.changes.pages) ids[page.ref] = page.id;
  const refsOf = async (page: string) =>
    refsIn((await editor.get(`${content}/page/${page}?format=document`)).body.document);
  return {
    ...space,
    ids,
    /** The targets of a page's links after it is given this Markdown. */
    async linksIn(page: string, markdown: string): Promise<Json[]> {
      const changes = [{ operation: 'update_page', page: ids[page], document: { markdown } }];
      expect((await editor.post(content, { changes })).status).toBe(200);
      return refsOf(ids[page] as string);
    },
    refsOf,
  };
}

test('links in Markdown input may name pages by id, by path from the root of the space, and with an anchor', async () => {
  const { ids, linksIn } = await linkedSpace();
  const markdown = `[a](/pages/${ids.Guide}) [b](/guide/install) [c](guide/install/linux#setup) [d](#here)`;
  expect(await linksIn('Home', markdown)).toEqual([
    { kind: 'page', page: ids.Guide },
    { kind: 'page', page: ids.Install },
    { kind: 'anchor', page: ids.Linux, anchor: 'setup' },
    { kind: 'anchor', anchor: 'here' },
  ]);
});

test('links in Markdown input may be relative, like links between files in git', async () => {
  const { ids, linksIn } = await linkedSpace();
  // A leaf is a file beside its siblings.
  expect(await linksIn('Linux', '[a](../configure.md) [b](../../home.md) [c](README.md#x)')).toEqual([
    { kind: 'page', page: ids.Configure },
    { kind: 'page', page: ids.Home },
    { kind: 'anchor', page: ids.Install, anchor: 'x' },
  ]);
  // A page with pages below it is the README of its folder.
  expect(await linksIn('Install', '[a](linux.md) [b](../configure.md) [c](../../configure.md)')).toEqual([
    { kind: 'page', page: ids.Linux },
    { kind: 'page', page: ids.Configure },
    { kind: 'page', page: ids.Configure2 },
  ]);
});

test('links in Markdown input stay URLs if they lead out of the space or nowhere', async () => {
  const { linksIn } = await linkedSpace();
  const urls = [
    'https://example.com/guide',
    'nowhere.md',
    '../../../guide',
    'mailto:me@example.com',
    '100%.md',
  ];
  expect(await linksIn('Home', urls.map((url) => `[x](${url})`).join(' '))).toEqual(
    urls.map((url) => ({
      kind: 'url',
      url: (expect.stringContaining(url.replace('%', '')) as string) && url,
    })),
  );
});

test('links in Markdown input may name pages inserted by the same edit, even later ones, by ref or by path', async () => {
  const { editor, content, ids, refsOf } = await linkedSpace();
  const { body } = await editor.post(`${content}?compat=false`, {
    changes: [
      {
        operation: 'insert_page',
        title: 'One',
        document: { markdown: '[a](/pages/two) [b](two.md) [c](/handbook/install)' },
      },
      { operation: 'insert_page', title: 'Two', ref: 'two' },
      { operation: 'update_page', page: ids.Guide, slug: 'handbook' },
    ],
  });
  const [one, two] = body.changes.pages;
  expect(await refsOf(one.id)).toEqual([
    { kind: 'page', page: two.id },
    { kind: 'page', page: two.id },
    { kind: 'page', page: ids.Install },
  ]);
});

test('links in Markdown input are written as they were resolved, so that Markdown that was read can be sent back', async () => {
  const { editor, content, ids, linksIn } = await linkedSpace();
  await linksIn('Home', 'See [the guide](guide.md).\n');
  const { body } = await editor.get(`${content}/page/${ids.Home}`);
  expect(body.markdown).toBe(`# Home\n\nSee [the guide](/pages/${ids.Guide}).\n`);
  const { body: before } = await editor.get(content);
  const changes = [{ operation: 'update_page', page: ids.Home, document: { markdown: body.markdown } }];
  expect((await editor.post(content, { changes })).body.revision).toBe(before.id);
});

test('documents sent as input keep the keys of blocks that were edited or moved', async () => {
  const { editor, content, pages } = await editedSpace(service, {
    Guide: 'One thing to say.\n\n## Heading\n\nLast words of it.\n',
  });
  const keys = async () => {
    const { body } = await editor.get(`${content}/page/${pages.Guide}?format=document`);
    return body.document.nodes.map(({ key }: { key: string }) => key);
  };
  const before = await keys();
  const markdown = 'Brand new.\n\nOne thing to say, and more.\n\nLast words of it.\n\n## Heading\n';
  await editor.post(content, {
    changes: [{ operation: 'update_page', page: pages.Guide, document: { markdown } }],
  });
  const after = await keys();
  expect([after[1], after[3], after[2]]).toEqual(before);
  expect(before).not.toContain(after[0]);
});

test('documents sent as input may be documents that were read, with references to pages inserted by the same edit', async () => {
  const { editor, content, pages } = await editedSpace(service, { Guide: 'Old\n' });
  const leaf = { object: 'leaf', text: 'link', marks: [] };
  const document = {
    object: 'document',
    data: { schemaVersion: 1 },
    nodes: [
      {
        object: 'block',
        type: 'paragraph',
        key: 'mine',
        nodes: [
          {
            object: 'inline',
            type: 'link',
            data: { ref: { kind: 'page', page: 'new' } },
            nodes: [{ object: 'text', leaves: [leaf] }],
          },
        ],
      },
    ],
  };
  const { body } = await editor.post(`${content}?compat=false`, {
    changes: [
      { operation: 'update_page', page: pages.Guide, document: { document } },
      { operation: 'insert_page', title: 'New', ref: 'new' },
    ],
  });
  const made = body.changes.pages[1].id;
  const read = await editor.get(`${content}/page/${pages.Guide}?format=document`);
  expect(read.body.document.nodes[0].key).toBe('mine');
  expect(refsIn(read.body.document)).toEqual([{ kind: 'page', page: made }]);
  expect((await editor.get(`${content}/page/${pages.Guide}`)).body.markdown).toBe(
    `# Guide\n\n[link](/pages/${made})\n`,
  );
});
