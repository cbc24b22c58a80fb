import { afterAll, beforeAll, expect, test } from 'vitest';
import { SearchArrays } from '../../routers/engine/search/arrays.ts';
import { postingListOf } from '../../routers/engine/search/posting-lists.ts';
import { encodePostings } from '../../routers/engine/search/postings.ts';
import { scoreDocuments } from '../../routers/engine/search/ranking.ts';
import { statementsOf } from '../bench/queries.ts';
import { type Client, made, startTestService, type TestService } from '../helpers/service.ts';
import { FINDS, index, PAGES, spaceWith, titlesIn } from './scene.ts';

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

test.for(FINDS)('a search of a space finds by %j: %j', async ([query, found]) => {
  expect(await titlesIn(admin, space, query)).toEqual([...found]);
});

test('a search of a space says where the words stand', async () => {
  const { items, count } = await made(admin.get(`/spaces/${space}/search?query=memory%20bound`));
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

test('a search of a space names the pages above', async () => {
  const { items } = await made(admin.get(`/spaces/${space}/search?query=tangerines`));
  expect(items[0]).toMatchObject({ path: 'group/child', ancestors: [{ title: 'Group' }] });
});

test('searches beside each other find what each finds alone', async () => {
  const search = (query: string) =>
    made(admin.get(`/orgs/${organization}/search?query=${encodeURIComponent(query)}`));
  const queries = FINDS.map(([query]) => query);
  const alone: unknown[] = [];
  for (const query of queries) alone.push(await search(query));
  expect(await Promise.all(queries.map(search))).toEqual(alone);
});

test('half of a surrogate pair in a query finds nothing', async () => {
  const answer = await admin.get(`/orgs/${organization}/search?query=%ED%A0%80`);
  expect(answer).toMatchObject({ status: 200, body: { count: 0, items: [] } });
});

test.for([
  [1, 'few'],
  [2, 'few'],
  [5, 'few'],
  [12, 'few'],
  [1, 'many'],
  [5, 'many'],
] as const)(
  'of %i words and one that %s documents have, what has all of them comes before what has most of them',
  async ([count, share]) => {
    const has = (documents: [document: number, impact: number][]) => ({
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
      has([
        [1, 255],
        [2, 1],
      ]),
    );
    const last = has([
      [2, 1],
      [3, 255],
    ]);
    const { of } = await scoreDocuments(
      [...common, last],
      [],
      { arrays: new SearchArrays(), size: 4, documents: 100, isSentence: false },
      async () => undefined,
    );
    const [, first = 0, whole = 0, third = 0] = of;
    expect(whole).toBeGreaterThan(first);
    expect(first).toBeGreaterThan(0);
    expect(whole).toBeGreaterThan(third);
    // Of a sentence, what tells most about its words does.
    const { of: asked } = await scoreDocuments(
      [...common, last],
      [],
      { arrays: new SearchArrays(), size: 4, documents: 100, isSentence: true },
      async () => undefined,
    );
    expect(asked[1]).toBeGreaterThan(asked[2] as number);
    expect(asked[2]).toBeGreaterThan(0);
  },
);

test.for([
  ['10 kB', 'word '.repeat(2000), 400],
  ['513 characters', 'x'.repeat(513), 400],
  ['a NUL', 'a\0b', 400],
  ['nothing', '', 200],
  ['signs', '!?&|:*()<->\'"\\%_', 200],
  ['the syntax of tsquery', "zqa & !zqb | zqc:* <-> 'zqd'", 200],
  ['stop words', 'the of and to is', 200],
  ['200 words', 'to '.repeat(170), 200],
  ['100 words that are not there', Array.from({ length: 100 }, (_, at) => `zq${at}`).join(' '), 200],
  ['one long word', 'x'.repeat(512), 200],
  ['combining marks', `zqx${'\u0301'.repeat(500)}`, 200],
  ['quotes that are not closed', '""""" "zzz', 200],
  ['a minus alone', '- -- -zzz', 200],
  ['joiners', '._-.'.repeat(120), 200],
] as const)('a query of %s is refused, or finds nothing', async ([, query, status]) => {
  const answer = await admin.get(`/orgs/${organization}/search?query=${encodeURIComponent(query)}`);
  expect(answer.status).toBe(status);
  if (status === 200) expect(answer.body).toEqual({ count: 0, items: [] });
  else expect(answer.body.error.message).toMatch(/^[A-Z].*\.$/);
});

test('a query of many words asks the database no more often than one of two', async () => {
  const asked = async (count: number, ending: string) => {
    const words = Array.from(
      { length: count },
      (_, at) => `misspellt${String.fromCharCode(97 + at)}${ending}`,
    );
    return (await statementsOf(service.app, `/v1/spaces/${space}/search?query=${words.join('%20')}`, token))
      .length;
  };
  await asked(2, 'qa');
  expect(await asked(24, 'xb')).toBe(await asked(2, 'yc'));
});

test('a query that was asked before reads nothing of an index that has not changed', async () => {
  const ask = () => statementsOf(service.app, `/v1/spaces/${space}/search?query=memroy%20pods%20gro`, token);
  const first = await ask();
  const again = await ask();
  const ofIndex = (statements: readonly { sql: string }[]) =>
    statements.filter(({ sql }) => /search_(?:posting|word|document)/.test(sql));
  expect(ofIndex(first).length).toBeGreaterThan(3);
  expect(ofIndex(again)).toEqual([]);
});

test('pages of results have each page once', async () => {
  const walked: string[] = [];
  const at = `/spaces/${space}/search?query=pod%20memory%20groups%20files&limit=1`;
  for (let next = at; next !== ''; ) {
    const { items, count, next: further } = await made(admin.get(next));
    expect(count).toBe(5);
    walked.push(...items.map(({ title, rank }: { title: string; rank: number }) => `${rank} ${title}`));
    next = further ? `${at}&page=${further.page}` : '';
  }
  expect(new Set(walked).size).toBe(5);
  expect(walked.map((one) => one[0])).toEqual(['1', '2', '3', '4', '5']);
});

test('an organization lists its spaces with the pages', async () => {
  const { items, count } = await made(admin.get(`/orgs/${organization}/search?query=pod`));
  expect(count).toBe(1);
  expect(items[0]).toMatchObject({ type: 'space', id: space, title: 'Guides' });
  expect(items[0].pages).toHaveLength(2);
});
