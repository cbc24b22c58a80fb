import { afterAll, beforeAll, expect, test } from 'vitest';
import { SearchArrays } from '../../routers/engine/search/arrays.ts';
import { postingListOf } from '../../routers/engine/search/posting-lists.ts';
import { encodePostings } from '../../routers/engine/search/postings.ts';
import { scoreDocuments } from '../../routers/engine/search/ranking.ts';
import { statementsOf } from '../bench/queries.ts';
import { scoresByDocument } from '../helpers/scores.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { index, PAGES, page, QUERIES, spaceWith, titlesIn } from './scene.ts';

let service: TestService;
let organization: string;
let admin: Client;
let token: string;
let space: string;
let pages: Record<string, string>;

beforeAll(async () => {
  service = await startTestService();
  const built = await service.build.organization();
  organization = built.id;
  ({ token } = built.admin);
  admin = service.as(token);
  ({ id: space, pages } = await spaceWith(admin, organization, PAGES));
  await index(service, organization);
});
afterAll(() => service.close());

test.for(QUERIES)('a search of a space finds by %j: %j', async ([query, found]) => {
  expect(await titlesIn(admin, space, query)).toEqual([...found]);
});

test('a page whose title is the query comes before pages with more words in their titles and texts', async () => {
  const words = 'Reporters, and which reporters to use.\n\n## Choosing reporters\n\nMore about reporters.';
  const { id } = await spaceWith(admin, organization, [
    page('Custom reporters', words),
    page('Third-party reporters', words),
    page('Reporters', 'How results are shown.'),
  ]);
  await index(service, organization);
  expect((await titlesIn(admin, id, 'reporters'))[0]).toBe('Reporters');
});

test('variants that are a hundred times rarer than the word are not found by it', async () => {
  const other = await service.build.organization();
  const admin = service.as(other.admin.token);
  const { id } = await spaceWith(admin, other.id, [
    page('Shell', 'Streamsh runs it.'),
    page('Network', 'A stream of bytes.'),
  ]);
  await index(service, other.id);
  expect(await titlesIn(admin, id, 'stream ')).toEqual(['Network', 'Shell']);
  const changes = Array.from({ length: 50 }, () => page('Stream', 'A stream of bytes.'));
  for (let times = 0; times < 3; times++)
    await expectOk(admin.post(`/spaces/${id}/content`, { compat: false, changes }));
  await index(service, other.id);
  expect(await expectOk(admin.get(`/spaces/${id}/search?query=stream%20&limit=1`))).toMatchObject({
    count: 151,
  });
  expect(await titlesIn(admin, id, 'streamsh')).toEqual(['Shell']);
});

test('a search of a space highlights the words of the query', async () => {
  const { items, count } = await expectOk(admin.get(`/spaces/${space}/search?query=memory%20bound`));
  expect(count).toBe(1);
  const [found] = items;
  expect(found).toMatchObject({ id: pages.Buffering, title: 'Buffering', path: 'buffering', rank: 1 });
  const [section] = found.sections;
  expect(section).toMatchObject({
    title: 'Memory limits',
    anchor: 'memory-limits',
    path: 'buffering#memory-limits',
  });
  const words = section.highlights.map(({ start, end }: { start: number; end: number }) =>
    section.body.slice(start, end),
  );
  expect(words).toEqual(['bound', 'memory']);
});

test('a search of a space lists the ancestors of a page', async () => {
  const { items } = await expectOk(admin.get(`/spaces/${space}/search?query=tangerines`));
  expect(items[0]).toMatchObject({ path: 'group/child', ancestors: [{ title: 'Group' }] });
});

test('concurrent searches find the same as each of them alone', async () => {
  const search = (query: string) =>
    expectOk(admin.get(`/orgs/${organization}/search?query=${encodeURIComponent(query)}`));
  const queries = QUERIES.map(([query]) => query);
  const alone: unknown[] = [];
  for (const query of queries) alone.push(await search(query));
  expect(await Promise.all(queries.map(search))).toEqual(alone);
});

test('half of a surrogate pair in a query finds nothing', async () => {
  const response = await admin.get(`/orgs/${organization}/search?query=%ED%A0%80`);
  expect(response).toMatchObject({ status: 200, body: { count: 0, items: [] } });
});

test.for([
  [1, 'few'],
  [2, 'few'],
  [5, 'few'],
  [12, 'few'],
  [1, 'many'],
  [5, 'many'],
] as const)(
  'a document with all of %i words and one that %s documents contain ranks above one with most of them',
  async ([count, share]) => {
    const wordIn = (documents: [document: number, impact: number][]) => ({
      isRequired: false,
      alternatives: [
        {
          term: 'term',
          weight: 1,
          frequency: documents.length,
          lists: [
            postingListOf(
              [encodePostings(documents.map(([document, impact]) => ({ document, impact })))],
              documents.length,
              share === 'many' ? 3 : 100,
            ),
          ],
        },
      ],
    });
    const common = Array.from({ length: count }, () =>
      wordIn([
        [1, 255],
        [2, 1],
      ]),
    );
    const last = wordIn([
      [2, 1],
      [3, 255],
    ]);
    const scores = await scoreDocuments(
      [...common, last],
      [],
      { arrays: new SearchArrays(), size: 4, documents: 100, isSentence: false },
      async () => undefined,
    );
    const [, first = 0, complete = 0, third = 0] = scoresByDocument(scores, [1, 2, 3]);
    expect(complete).toBeGreaterThan(first);
    expect(first).toBeGreaterThan(0);
    expect(complete).toBeGreaterThan(third);
    // For a sentence, relevance counts more than completeness.
    const scoresForSentence = await scoreDocuments(
      [...common, last],
      [],
      { arrays: new SearchArrays(), size: 4, documents: 100, isSentence: true },
      async () => undefined,
    );
    const forSentence = scoresByDocument(scoresForSentence, [1, 2]);
    expect(forSentence[1]).toBeGreaterThan(forSentence[2] as number);
    expect(forSentence[2]).toBeGreaterThan(0);
  },
);

test.for([
  ['10 kB', 'word '.repeat(2000), 400],
  ['513 characters', 'x'.repeat(513), 400],
  ['a NUL', 'a\0b', 400],
  ['nothing', '', 200],
  ['punctuation', '!?&|:*()<->\'"\\%_', 200],
  ['the syntax of tsquery', "zqa & !zqb | zqc:* <-> 'zqd'", 200],
  ['stop words', 'the of and to is', 200],
  ['200 words', 'to '.repeat(170), 200],
  ['100 words that occur nowhere', Array.from({ length: 100 }, (_, at) => `zq${at}`).join(' '), 200],
  ['one long word', 'x'.repeat(512), 200],
  ['combining marks', `zqx${'\u0301'.repeat(500)}`, 200],
  ['unclosed quotes', '""""" "zzz', 200],
  ['a minus alone', '- -- -zzz', 200],
  ['joiners', '._-.'.repeat(120), 200],
] as const)('a query of %s is rejected or finds nothing', async ([, query, status]) => {
  const response = await admin.get(`/orgs/${organization}/search?query=${encodeURIComponent(query)}`);
  expect(response.status).toBe(status);
  if (status === 200) expect(response.body).toEqual({ count: 0, items: [] });
  else expect(response.body.error.message).toMatch(/^[A-Z].*\.$/);
});

test('a query of many words takes no more statements than one of two words', async () => {
  const countStatements = async (count: number, ending: string) => {
    const words = Array.from(
      { length: count },
      (_, at) => `misspellt${String.fromCharCode(97 + at)}${ending}`,
    );
    return (await statementsOf(service.app, `/v1/spaces/${space}/search?query=${words.join('%20')}`, token))
      .length;
  };
  await countStatements(2, 'qa');
  expect(await countStatements(24, 'xb')).toBe(await countStatements(2, 'yc'));
});

test('repeating a query reads nothing from an index that has not changed', async () => {
  const search = () =>
    statementsOf(service.app, `/v1/spaces/${space}/search?query=memroy%20pods%20gro`, token);
  const first = await search();
  // Texts are cached when they are read a second time.
  await search();
  const again = await search();
  const ofIndex = (statements: readonly { sql: string }[]) =>
    statements.filter(({ sql }) => /search_(?:block|document)/.test(sql));
  expect(ofIndex(first).length).toBeGreaterThan(3);
  expect(ofIndex(again)).toEqual([]);
});

test('paging through results returns each page once', async () => {
  const walked: string[] = [];
  const at = `/spaces/${space}/search?query=pod%20memory%20groups%20files&limit=1`;
  for (let next = at; next !== ''; ) {
    const { items, count, next: further } = await expectOk(admin.get(next));
    expect(count).toBe(5);
    walked.push(...items.map(({ title, rank }: { title: string; rank: number }) => `${rank} ${title}`));
    next = further ? `${at}&page=${further.page}` : '';
  }
  expect(new Set(walked).size).toBe(5);
  expect(walked.map((one) => one[0])).toEqual(['1', '2', '3', '4', '5']);
});

test('a search of an organization groups the pages by space', async () => {
  const { items, count } = await expectOk(admin.get(`/orgs/${organization}/search?query=pod`));
  expect(count).toBe(1);
  expect(items[0]).toMatchObject({ type: 'space', id: space, title: 'Guides' });
  expect(items[0].pages).toHaveLength(2);
});

test('the limit of a search of an organization bounds the pages of a space, too', async () => {
  const pagesFor = async (limit: string) => {
    const query = 'pod%20memory%20groups%20files';
    const { items } = await expectOk(admin.get(`/orgs/${organization}/search?query=${query}${limit}`));
    return items[0].pages.map(({ rank }: { rank: number }) => rank);
  };
  expect(await pagesFor('')).toEqual([1, 2, 3, 4, 5]);
  expect(await pagesFor('&limit=3')).toEqual([1, 2, 3]);
});
