import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { page, spaceWith } from '../search/scene.ts';

let service: TestService;
let admin: Client;
let space: string;
let ids: Record<string, string>;
let at: string;
beforeAll(async () => {
  service = await startTestService();
  const { id: organization, admin: owner } = await service.build.organization();
  admin = service.as(owner.token);
  ({ id: space, pages: ids } = await spaceWith(admin, organization, [
    page('Start', 'Text.'),
    page('Open', 'For all.'),
    page('Pro', 'For few.', { condition: 'visitor.claims.isPro' }),
  ]));
  const sites = `/orgs/${organization}/sites`;
  const { id: site } = await expectOk(admin.post(sites, { title: 'Docs', spaces: [space] }));
  await expectOk(admin.post(`${sites}/${site}/publish`));
  at = `/sites/${site}`;
});
afterAll(() => service.close());

/** The HTML of the page with this Markdown, for a visitor. */
async function pageOf(markdown: string): Promise<string> {
  const change = { operation: 'update_page', page: ids.Start, document: { markdown } };
  await expectOk(admin.post(`/spaces/${space}/content`, { changes: [change] }));
  const { statusCode, body } = await service.app.inject({ url: at, headers: { host: 'docs.test' } });
  expect(statusCode).toBe(200);
  return body;
}

test('the outline and the labels of anchors have the text of headings as it is shown', async () => {
  const body = await pageOf(
    "## Use [foo](https://example.com), then [bar](https://example.com)'s\n\n## From $$a$$, :rocket: *b*\n",
  );
  const outline = /<aside class="outline"[^>]*>.*?<\/aside>/s.exec(body)?.[0];
  expect([...(outline ?? '').matchAll(/<a href="[^"]*">(.*?)<\/a>/gs)].map(([, title]) => title)).toEqual([
    'Use foo, then bar&#39;s',
    'From a, 🚀 b',
  ]);
  expect(
    [...body.matchAll(/<a class="anchor" [^>]*aria-label="[^:"]*: ([^"]*)"/g)].map(([, to]) => to),
  ).toEqual(['Use foo, then bar&#39;s', 'From a, 🚀 b']);
});

test('a block of an integration is a link to its URL, or else its text as code', async () => {
  const body = await pageOf(
    [
      '{% @github-files/github-code-block url="https://github.com/a/b" %}',
      '{% @mermaid/diagram content="graph TD\n  a-->b" %}',
      '{% @a/b url="ms-msdt:/id" %}',
    ].join('\n\n'),
  );
  const content = /<div class="content">(.*?)<\/article>/s.exec(body)?.[1] ?? '';
  expect(content).toMatch(
    /^<a class="card-link" href="https:\/\/github.com\/a\/b">.*<strong>github.com\/a\/b<\/strong>/,
  );
  const code = /<pre [^>]*data-syntax="mermaid"[^>]*>(.*?)<\/pre>/s.exec(content)?.[1] ?? '';
  expect(code.replace(/<[^>]*>/g, '')).toBe('graph TD\n  a--&gt;b\n');
  expect(content).not.toMatch(/ms-msdt|\{%/);
});

test('a heading of icons alone is announced neither as a heading nor as a link to one', async () => {
  const body = await pageOf(
    '## <i class="fa-leaf">:leaf:</i>\n\n### <i class="fa-leaf">:leaf:</i> Leaves\n\n#### <i class="fa-leaf">:leaf:</i>\n',
  );
  const found = [...body.matchAll(/<(h[2-4]) id="[^"]*"([^>]*)>(.*?)<\/h[2-4]>/gs)];
  expect(
    found.map(([, name, attributes, inner]) => [name, attributes, inner?.includes('class="anchor"')]),
  ).toEqual([
    ['h2', ' role="presentation"', false],
    ['h3', '', true],
    ['h4', ' role="presentation"', false],
  ]);
});

test('tables that begin alike are named, but are not landmarks, which must differ in their names', async () => {
  const body = await pageOf(
    '| Key | A |\n|---|---|\n| 1 | 2 |\n\nThen:\n\n| Key | B |\n|---|---|\n| 1 | 2 |\n',
  );
  const named = [...body.matchAll(/<div class="table"[^>]* role="([^"]*)" aria-label="([^"]*)"/g)];
  expect(named.map(([, role, label]) => [role, label])).toEqual([
    ['group', 'Key'],
    ['group', 'Key'],
  ]);
});

test('nothing is left of references to a page that the visitor may not see but the words of the author', async () => {
  const card = (title: string) => `{% content-ref url="/pages/${ids[title]}" %}\n{% endcontent-ref %}`;
  const row = (name: string, title: string) =>
    `<tr><td>${name}</td><td><a href="/pages/${ids[title]}">x</a></td></tr>`;
  const table = (view: string) =>
    `<table${view}><thead><tr><th></th><th data-type="content-ref">See</th></tr></thead><tbody>${row('one', 'Open')}${row('two', 'Pro')}</tbody></table>`;
  const body = await pageOf(
    [
      card('Pro'),
      card('Open'),
      `Go [there](/pages/${ids.Pro}).`,
      table(''),
      table(' data-view="cards"'),
    ].join('\n\n'),
  );
  const [article = ''] = /<div class="content">.*<\/article>/s.exec(body) ?? [];
  expect(article).not.toContain('Pro');
  expect(article.match(/class="card-link[^"]*"/g)).toEqual(['class="card-link"']);
  expect(article).not.toContain('<strong></strong>');
  expect(article).toContain('<p>Go there.</p>');
  expect(article).toMatch(/<td>two<\/td><td><\/td>/);
  // A card has no cell, and so no title of one, for what its visitor may not see.
  expect(article.match(/<small>See<\/small>/g)).toHaveLength(1);
});

test('footnotes open from the text that they belong to, also in code and HTML tables, unless they are empty', async () => {
  const body = await pageOf(
    [
      'A [long word](#user-content-fn-1)[^1] and an [empty one](#user-content-fn-2)[^2].',
      '<table><thead><tr><th>A</th></tr></thead><tbody><tr><td><a data-footnote-ref href="#user-content-fn-3">cell</a></td></tr></tbody></table>',
      '<pre><code>run <a data-footnote-ref href="#user-content-fn-3">it</a>\n</code></pre>',
      'Unknown[^1].',
      '[^1]: The first.',
      '[^2]: ',
      '[^3]: The third.',
    ].join('\n\n'),
  );
  const annotated = [...body.matchAll(/<button [^>]*class="annotated"[^>]*>(.*?)<\/button>/gs)];
  expect(annotated.map(([, text]) => text)).toEqual(['long word', 'cell', 'it', '<sup>1</sup>']);
  const notes = [...body.matchAll(/<div class="note"[^>]*>(.*?)<\/div>/gs)];
  expect(notes.map(([, note]) => note?.replace(/<[^>]*>|\s+$/g, ''))).toEqual([
    'The first.',
    'The third.',
    'The third.',
    'The first.',
  ]);
  expect(body).toContain('and an empty one.');
  expect(body).not.toMatch(/\[\^|user-content/);
});

test('links that were broken when they were exported are text', async () => {
  const body = await pageOf(
    'See [one](broken-reference), [two](/broken/pages/abc) and [three](broken-references.md).',
  );
  expect(body).toMatch(/See one, two and <a href="[^"]*broken-references\.md">three<\/a>/);
});

test('an API operation in the tags that GitBook used before OpenAPI blocks has its method, parameters and statuses', async () => {
  const tag = (name: string, attributes: string, inner: string) =>
    `{% ${name} ${attributes} %}\n${inner}\n{% end${name} %}\n`;
  const body = await pageOf(
    [
      tag(
        'swagger',
        'method="post" path="/hooks/{id}" baseUrl="https://[domain]" summary="Subscribe"',
        [
          tag('swagger-parameter', 'in="path" name="id" type="String" required="true"', 'The *hook*.'),
          tag('swagger-response', 'status="201: Created" description="Made"', '```json\n{}\n```'),
        ].join('\n'),
      ),
      tag(
        'api-method',
        'method="get" host="https://app.example" path="/all\\_hooks"',
        [
          tag('api-method-headers', '', tag('api-method-parameter', 'name="key" required=false', 'A key.')),
          tag('api-method-response-example', 'httpCode=404', '```\nNone\n```'),
        ].join('\n'),
      ),
    ].join('\n'),
  );
  const text = body.replace(/<br>/g, '\n').replace(/<[^>]*>/g, '');
  expect(text).toContain('Subscribe\nPOST https://[domain]/hooks/{id}\n');
  expect(text).toContain('\nid* String, path\nThe hook.\n');
  expect(text).toContain('\n201: Created Made\n');
  expect(text).toContain('GET https://app.example/all_hooks\nHeaders\nkey\nA key.\n404\n');
});

test('a mention of what is not in the space has the text of its author', async () => {
  const body = await pageOf(
    'See [Keys](https://app.example/s/1 "mention") and [Gone](broken-reference "mention").',
  );
  expect(body).toMatch(/See <a href="https:\/\/app\.example\/s\/1">Keys<\/a> and Gone\./);
});

test('a card for what is not in the space has the title of its author', async () => {
  const card = (url: string, title: string) =>
    `{% content-ref url="${url}" %}\n[${title}](${url})\n{% endcontent-ref %}`;
  const body = await pageOf(
    [card('https://a.example/keys', '**API** keys'), card('https://a.example/b', 'https://a.example/b')].join(
      '\n\n',
    ),
  );
  expect(body).toMatch(/<p><a href="https:\/\/a\.example\/keys">API keys<\/a><\/p>/);
  expect(body).toMatch(/<a class="card-link" href="https:\/\/a\.example\/b">/);
});

test('HTML is shown as its elements and text, without a blank line between them', async () => {
  const body = await pageOf(
    '<h2 align="center" onclick="a()">About</h2>\n<p class="x">One <a href="ms-msdt:/id">two</a></p>\nThree\n\n## About\n',
  );
  expect(body).toMatch(
    /<h2 [^>]*id="about"[^>]*>.*?<p>One two<\/p>\s*<p>Three<\/p>.*?<h2 [^>]*id="about-1"/s,
  );
  expect(body).not.toMatch(/ms-msdt:|onclick="a|&lt;h2/);
});

/** Adds a file to the space, and returns its id. */
async function addFile(name: string, text: string): Promise<string> {
  const files = [{ name, base64: Buffer.from(text).toString('base64') }];
  await expectOk(admin.post(`/spaces/${space}/content`, { changes: [{ operation: 'insert_files', files }] }));
  const { items } = await expectOk(admin.get(`/spaces/${space}/content/files`));
  return items.find((file: { name: string }) => file.name === name).id;
}

const operationIn = (file: string, path: string, method = 'get') =>
  `{% openapi src="/files/${file}" path="${path}" method="${method}" %}\n[spec](/files/${file})\n{% endopenapi %}\n\n`;

const PETS = `openapi: 3.1.0
info: {title: Pets, version: "1"}
paths:
  /pets:
    get:
      summary: List pets
      description: The pets, *newest* first.
      parameters:
        - {name: limit, in: query, schema: {type: integer}}
      responses:
        "200":
          description: Some pets
          content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}}
        default: {$ref: "shared.yaml#/problem"}
components:
  schemas:
    Pet: {type: object, properties: {name: {type: string, example: Rex}}}
`;

test('an operation of an OpenAPI spec in a file of the space is shown as one of a published spec', async () => {
  const pets = await addFile('pets.yaml', PETS);
  const swagger = operationIn(pets, '/pets', 'GET').replaceAll('openapi', 'swagger');
  const escaped = operationIn(pets, '\\/pets');
  for (const markdown of [operationIn(pets, '/pets'), swagger, escaped]) {
    const body = await pageOf(markdown);
    expect(body).toContain('<p class="api-title">List pets</p>');
    expect(body).toContain('The pets, <em>newest</em> first.');
    expect(body).toMatch(/class="api-part">[^<]*<\/p><ul class="properties">.*limit/s);
    expect(body).toContain('&quot;name&quot;: &quot;Rex&quot;');
  }
});

test('an operation that the file does not contain leads to the file', async () => {
  const pets = await addFile('few-pets.yaml', PETS);
  const text = await addFile('text.yaml', 'Not an OpenAPI document.');
  const body = await pageOf(operationIn(pets, '/cats') + operationIn(text, '/dogs'));
  for (const [path, name] of [
    ['/cats', 'few-pets.yaml'],
    ['/dogs', 'text.yaml'],
  ])
    expect(body).toMatch(new RegExp(`<code>${path}</code></p><p><a href="[^"]+">${name}</a></p></div>`));
});

test('each operation that is computed from an OpenAPI spec in a file is shown', async () => {
  const file = await addFile('computed.yaml', PETS);
  const dependencies = { spec: { ref: { kind: 'file', file } } };
  const change = {
    operation: 'insert_page',
    title: 'Reference',
    type: 'computed',
    computed: { type: 'builtin:openapi', dependencies },
  };
  await expectOk(admin.post(`/spaces/${space}/content`, { changes: [change] }));
  const { pages } = await expectOk(admin.get(`/spaces/${space}/content/pages`));
  const paths = (list: { type: string; path: string; pages?: [] }[]): string[] =>
    list.flatMap((one) => [...(one.type === 'document' ? [one.path] : []), ...paths(one.pages ?? [])]);
  const [path] = paths(pages).filter((one) => one.endsWith('list-pets'));
  const { body } = await service.app.inject({ url: `${at}/${path}`, headers: { host: 'docs.test' } });
  expect(body).toContain('The pets, <em>newest</em> first.');
});

test('a quote that is written as an alert of GitHub is shown as a hint', async () => {
  const body = await pageOf('> [!TIP]\n> Some *text*.\n\n> A quote.\n');
  expect(body).toMatch(
    /<div class="hint success" role="note" aria-label="Tip">.*<p[^>]*>Some <em>text<\/em>\.<\/p>/s,
  );
  expect(body).toMatch(/<blockquote>.*A quote\..*<\/blockquote>/s);
  expect(body).not.toContain('[!TIP]');
});

test('an admonition is shown as a hint, also in a list', async () => {
  const body = await pageOf(
    ':::warning[Careful]\n\nSome text.\n\n:::\n\n* An item\n\n  :::tip\n  More text.\n  :::\n* Another\n:::note\nThe rest.\n:::\nAfter it.\n',
  );
  const shown = [...body.matchAll(/<div class="hint (\w+)"[^>]*>.*?<div>(.*?)<\/div><\/div>/gs)];
  expect(
    shown.map(([, style, text = '']) => [
      style,
      text
        .replace(/<[^>]*>/g, ' ')
        .trim()
        .split(/\s+/),
    ]),
  ).toEqual([
    ['warning', ['Careful', 'Some', 'text.']],
    ['success', ['More', 'text.']],
    ['info', ['The', 'rest.']],
  ]);
  expect(body).not.toContain(':::');
});

test('URLs in running text are links, and others are not', async () => {
  const body = await pageOf(
    'See https://a.example/b_c?d=1&e=(f). Or www.g.example, **https://h.example**；(https://i.example/x).\n\n* `https://j.example` [https://k.example](https://l.example)\n* x.https://m.example https://{host}/ http://localhost:3000/\n\n## https://n.example\n',
  );
  const main = /<main.*<\/main>/s.exec(body)?.[0] ?? '';
  expect([...main.matchAll(/<a href="(http[^"]*)"/g)].map(([, href]) => href)).toEqual([
    'https://a.example/b_c?d=1&amp;e=(f)',
    'http://www.g.example',
    'https://h.example',
    'https://i.example/x',
    'https://l.example',
  ]);
  expect(main).toContain('</a>. Or <a href="http://www.g.example"');
  expect(main).toContain('>www.g.example</a>, ');
});
