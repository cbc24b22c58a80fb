import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { printedFor } from '../pdf/making.ts';
import { buildScene, IS_PRO, type Scene } from './scene.ts';

const TARGET = `## My *heading* :rocket:

### Release {{ page.vars.version }}

## <a href="#ug.ha" id="ug.ha"></a>High availability

<details>
<summary>More to unfold</summary>
Inside.
</details>

{% if visitor.claims.isPro %}
## Part for pros
{% endif %}
`;

let service: TestService;
let scene: Scene;
let ids: Record<string, string>;
beforeAll(async () => {
  service = await startTestService();
  scene = await buildScene(service);
  const page = (title: string, markdown: string, fields: object = {}) => ({
    operation: 'insert_page',
    title,
    document: { markdown },
    ...fields,
  });
  const inserted = await insert([
    page('Two', TARGET, { variables: { version: '7' } }),
    page('Pros', '## Heading for pros\n', { condition: IS_PRO }),
  ]);
  const mention = (target: string) => `[x](${target} "mention")`;
  const card = (target: string) => `{% content-ref url="${target}" %}\n[x](${target})\n{% endcontent-ref %}`;
  const two = `/pages/${inserted.Two}`;
  const markdown = [
    mention(`${two}#my-heading`),
    mention(`${two}#ug.ha`),
    mention(`${two}#Release-7`),
    mention(`${two}#part-for-pros`),
    mention(`${two}#nosuch`),
    mention(`/pages/${inserted.Pros}#heading-for-pros`),
    mention('#far-below'),
    card(`${two}#more-to-unfold`),
    card(`${two}#part-for-pros`),
    '[A link](#far-below)',
    '## Far **below**',
  ].join('\n\n');
  ids = { ...inserted, ...(await insert([page('One', markdown)])) };
});
afterAll(() => service.close());

async function insert(changes: object[]): Promise<Record<string, string>> {
  const edited = await expectOk(scene.admin.post(`${scene.space.at}/content`, { compat: false, changes }));
  return Object.fromEntries(
    edited.changes.pages.map(({ id, page }: { id: string; page: { title: string } }) => [page.title, id]),
  );
}

const HEADINGS = ['My heading 🚀', 'High availability', 'Release 7'];

const headingsFor = async (client: Client, pages: string[], query = ''): Promise<string[]> => {
  const { revision } = await expectOk(client.get(scene.space.at));
  const list = pages.map((id) => `pages=${id}`).join('&');
  const at = `${scene.space.at}/revisions/${revision}/headings?${list}${query}`;
  const { headings } = await expectOk(client.get(at));
  return headings.map(({ title }: { title: string }) => title);
};

describe('the titles of anchors', () => {
  test('mentions and cards on pages have the titles of the headings that they lead to', async () => {
    const { statusCode, body } = await service.app.inject({
      url: `/sites/${scene.site}/one`,
      headers: { host: 'docs.test' },
    });
    expect(statusCode).toBe(200);
    const article = /<article>(.*?)<\/article>/s.exec(body)?.[1] ?? '';
    const mentioned = [...article.matchAll(/<p><a href="[^"]*">([^<]*)<\/a><\/p>/g)].map(([, text]) => text);
    // A visitor is told neither the heading for others, nor the one on a page for others.
    expect(mentioned).toEqual([...HEADINGS, 'Two', 'Two', 'Far below', 'A link']);
    const cards = [...article.matchAll(/<strong>([^<]*)<\/strong>(?:<small>([^<]*)<\/small>)?<\/span>/g)];
    expect(cards.map(([, title, below]) => [title, below])).toEqual([
      ['More to unfold', 'Two'],
      ['Two', undefined],
    ]);
    expect(body).not.toMatch(/for pros/i);
  });

  test('cards in the Markdown of a page have the titles of the headings that the reader may see', async () => {
    const labelsFor = async (client: Client) => {
      const { markdown } = await expectOk(client.get(`${scene.space.at}/content/page/${ids.One}`));
      const cards = markdown.matchAll(/content-ref url="[^"]*" %\}\n\[([^\]]*)\]/g);
      return [...cards].map(([, label]) => label);
    };
    expect(await labelsFor(await scene.visitor())).toEqual(['More to unfold', 'Two']);
    expect(await labelsFor(await scene.visitor({ isPro: true }))).toEqual([
      'More to unfold',
      'Part for pros',
    ]);
    expect(await labelsFor(scene.admin)).toEqual(['More to unfold', 'Part for pros']);
  });

  test('mentions in a PDF have the titles of the headings that the reader may see', async () => {
    const titlesFor = async (client: Client) =>
      (await printedFor(service, client, `${scene.space.at}/pdf?page=${ids.One}&only=true`)).targets;
    const everyone = await titlesFor(await scene.visitor());
    for (const title of [...HEADINGS, 'More to unfold']) expect(everyone).toContain(title);
    expect(everyone).not.toMatch(/for pros/i);
    const pro = await titlesFor(await scene.visitor({ isPro: true }));
    expect(pro).toContain('Part for pros');
    expect(pro).toContain('Heading for pros');
  });
});

describe('the list of headings', () => {
  test('has the headings of pages, without those that the reader may not see', async () => {
    const pages = [ids.Two, ids.Pros] as string[];
    const common = ['My heading 🚀', 'Release 7', 'High availability'];
    expect(await headingsFor(await scene.visitor(), pages)).toEqual([...common, 'More to unfold']);
    expect(await headingsFor(await scene.visitor({ isPro: true }), pages)).toEqual([
      ...common,
      'More to unfold',
      'Part for pros',
      'Heading for pros',
    ]);
    expect(await headingsFor(scene.admin, [ids.Two as string], '&evaluated=deterministic-only')).toEqual([
      ...common,
      'More to unfold',
      'Part for pros',
    ]);
  });

  test('is not found if the reader may see none of the pages', async () => {
    const { revision } = await expectOk(scene.admin.get(scene.space.at));
    const at = `${scene.space.at}/revisions/${revision}/headings`;
    const visitor = await scene.visitor();
    expect((await visitor.get(`${at}?pages=${ids.Pros}`)).status).toBe(404);
    expect((await scene.admin.get(`${at}?pages=nosuch`)).status).toBe(404);
    expect(await headingsFor(visitor, ['nosuch', ids.Two as string])).toHaveLength(4);
  });
});
