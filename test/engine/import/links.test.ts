import { describe, expect, test } from 'vitest';
import { createLinkResolver } from '../../../routers/engine/import/links.ts';
import { indexFiles } from '../../../routers/engine/import/locate.ts';

const paths = [
  'docs/README.md',
  'docs/setup/README.md',
  'docs/setup/linux.md',
  'docs/setup/with space.md',
  'docs/setup/100%.md',
  'docs/Überblick.md',
  'docs/api/pets.md',
  'docs/unlisted.md',
  'docs/.gitbook/assets/a b.png',
  'docs/.gitbook/assets/Blue-#00F.png',
  'docs/.gitbook/includes/shared.md',
  'docs/left-out.bin',
  'other/README.md',
];
const isPage = (path: string) =>
  path.startsWith('docs/') && path.endsWith('.md') && !/gitbook|unlisted/.test(path);
const idsOf = (chosen: string[]) => new Map(chosen.map((path) => [path, `id of ${path}`]));
const targets = {
  index: indexFiles(paths, 'docs'),
  pages: new Map([...idsOf(paths.filter(isPage)), ['docs/api/', 'id of docs/api/']]),
  files: idsOf(['docs/.gitbook/assets/a b.png', 'docs/.gitbook/assets/Blue-#00F.png']),
  reusableContents: idsOf(['docs/.gitbook/includes/shared.md']),
};

function resolve(href: string, from = 'docs/setup/linux.md') {
  const broken: string[] = [];
  const ref = createLinkResolver(targets, from, (_, message) => broken.push(message))(href, 'link');
  return { ref, broken };
}

describe('a link to a page', () => {
  test.each([
    ['README.md', 'docs/setup/README.md'],
    ['./', 'docs/setup/README.md'],
    ['../', 'docs/README.md'],
    ['..', 'docs/README.md'],
    ['../setup', 'docs/setup/README.md'],
    ['linux', 'docs/setup/linux.md'],
    ['linux.md?plain=1', 'docs/setup/linux.md'],
    ['LINUX.md', 'docs/setup/linux.md'],
    ['/setup/linux.md', 'docs/setup/linux.md'],
    ['/docs/setup/linux.md', 'docs/setup/linux.md'],
    ['with%20space.md', 'docs/setup/with space.md'],
    ['with space.md', 'docs/setup/with space.md'],
    ['100%.md', 'docs/setup/100%.md'],
    ['../%C3%9Cberblick.md', 'docs/Überblick.md'],
    ['../U\u0308berblick.md', 'docs/Überblick.md'],
    ['../api/', 'docs/api/'],
    ['linux/', 'docs/setup/linux.md'],
    ['linux.md/', 'docs/setup/linux.md'],
    ['linux.html', 'docs/setup/linux.md'],
    ['with%20space.html?x=1', 'docs/setup/with space.md'],
    ['../linux', 'docs/setup/linux.md'],
    ['../../Überblick/', 'docs/Überblick.md'],
    ['index.html', 'docs/setup/README.md'],
    ['/index.htm', 'docs/README.md'],
  ])('%s', (href, path) => {
    expect(resolve(href)).toEqual({ ref: { kind: 'page', page: `id of ${path}` }, broken: [] });
  });

  test('a link to a page keeps its anchor', () => {
    expect(resolve('../setup/#in%20short').ref).toEqual({
      kind: 'anchor',
      page: 'id of docs/setup/README.md',
      anchor: 'in short',
    });
    expect(resolve('linux.html#in-short').ref).toEqual({
      kind: 'anchor',
      page: 'id of docs/setup/linux.md',
      anchor: 'in-short',
    });
    expect(resolve('#here').ref).toEqual({ kind: 'anchor', anchor: 'here' });
  });
});

test('a link out of the folder that a page would have leads to nothing from the page of a folder, or with an extension', () => {
  expect(resolve('../linux', 'docs/setup/README.md').broken).toHaveLength(1);
  expect(resolve('../linux.md').broken).toHaveLength(1);
});

test.each([
  ['docs/setup/README.md', 'setup/linux', 'docs/setup/linux.md'],
  ['docs/setup/README.md', './setup/linux', 'docs/setup/linux.md'],
  ['docs/setup/README.md', './api/pets/', 'docs/api/pets.md'],
  ['docs/setup/setup.md', 'setup/linux', 'docs/setup/linux.md'],
])('from %s, which is the page of its folder on a built site, %s leads to %s', (from, href, path) => {
  expect(resolve(href, from)).toEqual({ ref: { kind: 'page', page: `id of ${path}` }, broken: [] });
  expect(resolve(`${href.replace(/\/$/, '')}.md`, from).broken).toHaveLength(1);
  expect(resolve(href, 'docs/setup/linux.md').broken).toHaveLength(1);
});

test('nothing beside the documentation is looked for from its first page, as there is a slash after its URL', () => {
  const { ref, broken } = resolve('docs/setup/linux', 'docs/README.md');
  expect(broken).toHaveLength(1);
  expect(ref).not.toMatchObject({ kind: 'page' });
});

test.each([
  ['/img/a.png', 'static/img/a.png'],
  ['/img/b.png', 'docs/public/img/b.png'],
  ['@site/static/img/a.png', 'static/img/a.png'],
])('%s leads to %s, which a site generator publishes at the root', (href, path) => {
  const paths = ['docs/a.md', 'static/img/a.png', 'docs/public/img/b.png'];
  const index = indexFiles(paths, 'docs');
  const files = idsOf(paths.slice(1));
  const resolver = createLinkResolver({ ...targets, index, files }, 'docs/a.md', () => expect.unreachable());
  expect(resolver(href)).toEqual({ kind: 'file', file: `id of ${path}` });
});

test('a link with a slash leads to the page beside a folder that has no page of its own', () => {
  const index = indexFiles(['docs/a.md', 'docs/a/b.md', 'docs/c.md', 'docs/c/README.md'], 'docs');
  const pages = new Map([
    ['docs/a.md', 'page'],
    ['docs/a/', 'folder'],
    ['docs/c.md', 'beside'],
    ['docs/c/README.md', 'own'],
  ]);
  const resolver = createLinkResolver({ ...targets, index, pages }, 'docs/a.md', () => expect.unreachable());
  expect(resolver('a/')).toEqual({ kind: 'page', page: 'page' });
  expect(resolver('c/')).toEqual({ kind: 'page', page: 'own' });
});

test('a link to an HTML file leads to it if it exists', () => {
  const index = indexFiles(['docs/a.md', 'docs/a.html'], 'docs');
  const files = new Map([['docs/a.html', 'file']]);
  const resolver = createLinkResolver({ ...targets, index, files }, 'docs/a.md', () => expect.unreachable());
  expect(resolver('a.html')).toEqual({ kind: 'file', file: 'file' });
});

test('links to files and reusable contents become references of their kind', () => {
  expect(resolve('../.gitbook/assets/a%20b.png').ref).toEqual({
    kind: 'file',
    file: 'id of docs/.gitbook/assets/a b.png',
  });
  for (const href of ['../.gitbook/assets/Blue-#00F.png', '../.gitbook/assets/Blue-%2300F.png'])
    expect(resolve(href)).toEqual({
      ref: { kind: 'file', file: 'id of docs/.gitbook/assets/Blue-#00F.png' },
      broken: [],
    });
  expect(resolve('../.gitbook/includes/shared.md').ref).toEqual({
    kind: 'reusable-content',
    reusableContent: 'id of docs/.gitbook/includes/shared.md',
  });
});

test.each(['', '../../', '../../../', 'sub/'])(
  'a link to a file of GitBook leads to it with any path before it: %s',
  (path) => {
    for (const name of ['a%20b.png', 'Blue-#00F.png', 'Blue-%2300F.png'])
      expect(resolve(`${path}.gitbook/assets/${name}`)).toEqual({
        ref: { kind: 'file', file: `id of docs/.gitbook/assets/${decodeURIComponent(name)}` },
        broken: [],
      });
    expect(resolve(`${path}.gitbook/assets/none.png`).broken).toHaveLength(1);
  },
);

test.each([
  'https://example.com/a.md',
  'mailto:a@example.com',
  '//example.com/x',
  'tel:+49',
  'data:image/png;base64,xx',
])('a link to an external URL stays: %s', (href) => {
  expect(resolve(href)).toEqual({ ref: { kind: 'url', url: href }, broken: [] });
});

test.each([
  ['gone.md', 'does not exist'],
  ['/pages/abc', 'does not exist'],
  ['/broken/pages/abc', 'was already broken'],
  ['broken-reference', 'was already broken'],
  ['../../../etc/passwd', 'leads out of the folder'],
  ['../unlisted.md', 'did not become a page'],
  ['../../other/README.md', 'did not become a page'],
  ['../left-out.bin', 'was not imported'],
  ['../.gitbook/', 'is a folder'],
  ['a\0b', 'leads out of the folder'],
])('a broken link stays as written and is reported with the reason: %s', (href, reason) => {
  const { ref, broken } = resolve(href);
  expect(ref).toEqual({ kind: 'url', url: href });
  expect(broken).toEqual([expect.stringContaining(reason)]);
});

test('an OpenAPI block may refer to something that is not a file', () => {
  const resolver = createLinkResolver(targets, 'docs/README.md', () => expect.unreachable());
  expect(resolver('petstore', 'openapi')).toBeUndefined();
});
