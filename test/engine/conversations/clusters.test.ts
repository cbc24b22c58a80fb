import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assignIssues, type Frequencies } from '../../../routers/engine/conversations/clusters.ts';
import { extractIssue } from '../../../routers/engine/conversations/extract.ts';
import { applyWeekChanges, lastWeeks, weekOf } from '../../../routers/engine/conversations/weeks.ts';
import { finish } from '../../helpers/finish.ts';

const issueOf = (body: string, subject: string | null = null) =>
  extractIssue({ subject, messages: [{ role: 'user', body }] });

test('the title of an issue is the subject of its conversation, without reply prefixes', () => {
  expect(issueOf('It fails.', 'Re: FWD: Export fails')).toMatchObject({ title: 'Export fails' });
});

test('without a subject, the title of an issue is the most representative sentence, ignoring greetings, code and quotes', () => {
  const body =
    'Hi there!\nThe **export** of invoices fails with a timeout.\n```\nstack trace\n```\n> earlier words\nThanks &amp; bye';
  const issue = issueOf(body);
  expect(issue?.title).toBe('The export of invoices fails with a timeout.');
  expect([...(issue?.keywords.keys() ?? [])]).not.toContain('stack');
  expect(issue?.summary).not.toContain('earlier');
});

test('a conversation has an issue only if a user wrote something', () => {
  expect(
    extractIssue({ subject: null, messages: [{ role: 'team-member', body: 'Closed.' }] }),
  ).toBeUndefined();
  expect(issueOf('?!')).toBeUndefined();
});

test('truncating the text of an issue does not split surrogate pairs', () => {
  for (let start = 0; start < 3; start++) {
    const issue = issueOf(`x${'a'.repeat(start)}${'😀'.repeat(8000)} end`);
    expect(issue?.title.isWellFormed()).toBe(true);
    expect(issue?.summary.isWellFormed()).toBe(true);
  }
});

const MESSAGES = [
  'I cannot export my invoices as PDF',
  'Exporting invoices fails, the PDF is empty',
  'invoice pdf export broken!!',
  'My password reset email never arrives',
  'I did not receive the reset email for my password',
  'Reset password: no email received',
  'The webhook for new orders is not delivered',
  'Webhooks of orders are delivered twice',
];

const messages = MESSAGES.map((text, place) => ({
  key: `m${place}`,
  keywords: issueOf(text)?.keywords ?? new Map(),
}));

function frequenciesOf(issues: typeof messages): Frequencies {
  const of = new Map<string, number>();
  for (const { keywords } of issues)
    for (const keyword of keywords.keys()) of.set(keyword, (of.get(keyword) ?? 0) + 1);
  return { issues: issues.length, byKeyword: of };
}

describe('clustering issues', () => {
  const clustersOf = (issues: typeof messages) =>
    finish(assignIssues(issues, [], frequenciesOf(issues)))
      .added.map((keys) => [...keys].sort())
      .sort((a, b) => String(a).localeCompare(String(b)));

  test('issues about the same topic are clustered', () => {
    expect(clustersOf(messages)).toEqual([
      ['m0', 'm1', 'm2'],
      ['m3', 'm4', 'm5'],
      ['m6', 'm7'],
    ]);
  });

  test('clusters do not depend on the order of issues, even if issues could belong to several', () => {
    const overlapping = Array.from({ length: 40 }, (_, place) => ({
      key: `k${String(place).padStart(2, '0')}`,
      keywords: new Map([1, 5, 11].map((step) => [`word${(place * step) % 14}`, 10] as const)),
    }));
    const shuffled = overlapping.map((_, place) => overlapping[(place * 17 + 5) % 40]) as typeof messages;
    expect(clustersOf(overlapping).length).toBeGreaterThan(3);
    expect(clustersOf(shuffled)).toEqual(clustersOf(overlapping));
    expect(clustersOf(overlapping.toReversed())).toEqual(clustersOf(overlapping));
  });

  test('clusters do not depend on the order of issues and existing clusters', () => {
    const words = fc.uniqueArray(fc.constantFrom(...'abcdefghij'), { minLength: 1, maxLength: 4 });
    const several = fc.array(words, { minLength: 2, maxLength: 25 });
    fc.assert(
      fc.property(several, several, fc.infiniteStream(fc.nat()), (given, there, numbers) => {
        const weigh = (words: string[]) => new Map(words.map((word) => [word, 30] as const));
        const issues = given.map((words, place) => ({ key: `m${place}`, keywords: weigh(words) }));
        const known = there.map((words, place) => ({ id: `c${place}`, keywords: weigh(words) }));
        const shuffled = <Item>(items: Item[]) =>
          items
            .map((item) => ({ item, at: Number(numbers.next().value) }))
            .sort((a, b) => a.at - b.at)
            .map(({ item }) => item);
        const assigned = (some: typeof issues, clusters: typeof known) => {
          const { known: into, added } = finish(assignIssues(some, clusters, frequenciesOf(issues)));
          return { into: [...into].sort(), added };
        };
        const expected = assigned(issues, known);
        expect(assigned(shuffled(issues), shuffled(known))).toEqual(expected);
        // Each issue is in exactly one cluster.
        const placed = [...expected.into.flatMap(([, keys]) => keys), ...expected.added.flat()];
        expect(placed.sort()).toEqual(issues.map(({ key }) => key).sort());
      }),
    );
  });

  test.for([
    ['synonyms', 'my card is frozen', 'card blocked'],
    ['translations', 'Meine Karte ist gesperrt', 'my card is blocked'],
    ['typos', 'tranfer pending', 'transfer is pending'],
    ['compounds', 'Ladekabel kaputt', 'charger broken'],
  ])('issues are clustered by %s', ([, one = '', other = '']) => {
    const keywords = (text: string) => [...(issueOf(text)?.keywords.keys() ?? [])].sort();
    expect(keywords(one)).toEqual(keywords(other));
  });

  test('issues are assigned to an existing cluster if it is similar enough', () => {
    const [first, ...rest] = messages;
    const known = [{ id: 'c', keywords: first?.keywords ?? new Map() }];
    const { known: into } = finish(assignIssues(rest, known, frequenciesOf(messages)));
    expect([...into]).toEqual([['c', expect.arrayContaining(['m1', 'm2'])]]);
  });

  test('issues without keywords are not clustered', () => {
    expect(
      finish(assignIssues([{ key: 'a', keywords: new Map() }], [], { issues: 0, byKeyword: new Map() }))
        .added,
    ).toEqual([]);
  });
});

test('weeks begin on Monday, in UTC', () => {
  const monday = weekOf(new Date('2026-01-12T00:00:00Z'));
  expect(weekOf(new Date('2026-01-11T23:59:59.999Z'))).toBe(monday - 1);
  expect(weekOf(new Date('2026-01-15T00:00:00Z'))).toBe(monday);
  expect(weekOf(new Date('2026-01-18T23:59:59.999Z'))).toBe(monday);
  expect(weekOf(new Date('1970-01-01T00:00:00Z'))).toBe(0);
});

test('counts of weeks are dropped once the weeks are no longer shown', () => {
  const now = new Date('2026-01-15T00:00:00Z');
  const week = weekOf(now);
  const counts = applyWeekChanges(
    { [week - 20]: 5, [week - 1]: 2 },
    [
      { week, by: 1 },
      { week: week - 1, by: -2 },
    ],
    now,
  );
  expect(counts).toEqual({ [week]: 1 });
  expect(lastWeeks(counts, now)).toEqual([...Array(12).fill(0), 1]);
  expect(lastWeeks(counts, new Date(now.getTime() + 14 * 7 * 24 * 3600 * 1000))).toEqual(Array(13).fill(0));
});
