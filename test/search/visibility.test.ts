import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { signVisitorToken } from '../../routers/access/visitor-token.ts';
import type { Role } from '../../schema/enums.ts';
import { join } from '../helpers/builders/member.ts';
import { grant } from '../helpers/builders/permission.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { index, page, spaceWith } from './scene.ts';

/** Each text contains some of these words, so that each word is in texts that only some readers may see. */
const WORDS = ['quokka', 'wombat', 'numbat', 'dingo', 'kookaburra', 'bandicoot', 'potoroo', 'bilby'];
/** Queries per reader; set `SEARCH_RUNS` for more. */
const RUNS = Number(process.env.SEARCH_RUNS ?? 3);

// Everything is read as each of the readers.
vi.setConfig({ hookTimeout: 120_000, testTimeout: 240_000 });

const IS_PRO = 'visitor.claims.isPro';
const IS_BETA = 'visitor.claims.unsigned.isBeta';

/** A fixed seed, so that each run uses the same numbers. */
let seed = 7;
const random = (below: number): number => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
};
const someWords = () =>
  Array.from({ length: 1 + random(3) }, () => WORDS[random(WORDS.length)] as string).join(' ');

interface Reader {
  name: string;
  client: Client;
  /** Set for visitors of the site. */
  isVisitor?: true;
}

let service: TestService;
let organization: string;
let site: string;
let spaces: string[];
let readers: Reader[];

beforeAll(async () => {
  service = await startTestService();
  const { build, as, runtime } = service;
  const { database, services } = runtime;
  const built = await build.organization();
  organization = built.id;
  const admin = as(built.admin.token);
  const collection = await build.collection(organization, { defaultLevel: null });
  const places = [
    {},
    { defaultLevel: 'read' },
    { defaultLevel: null },
    { parent: collection.id },
    { parent: collection.id, defaultLevel: 'edit' },
    {},
  ] as const;
  spaces = [];
  for (const [at, { defaultLevel, ...place }] of (
    places as readonly { defaultLevel?: Role | null; parent?: string }[]
  ).entries()) {
    const { id } = await spaceWith(admin, organization, pagesOf(at), place);
    if (defaultLevel !== undefined) await expectOk(admin.patch(`/spaces/${id}`, { defaultLevel }));
    spaces.push(id);
  }
  // Neither unmerged changes nor deleted spaces may be found.
  const proposed = await expectOk(admin.post(`/spaces/${spaces[0]}/change-requests`, {}));
  await expectOk(
    admin.post(`/spaces/${spaces[0]}/change-requests/${proposed.id}/content`, {
      changes: [page('Proposed', WORDS.join(' '))],
    }),
  );
  const deleted = await spaceWith(admin, organization, [page('Deleted', WORDS.join(' '))]);
  await expectOk(admin.delete(`/spaces/${deleted.id}`));
  await expectOk(admin.post(`/spaces/${spaces[1]}/duplicate`));
  ({ id: site } = await build.site(organization, { spaces: spaces.slice(0, 3) }));
  await expectOk(admin.patch(`/orgs/${organization}/sites/${site}`, { adaptiveContent: { enabled: true } }));

  const member = async (name: string, role: Role | null): Promise<Reader & { id: string }> => {
    const person = await build.member(organization, role);
    return { name, id: person.id, client: as(person.token) };
  };
  const roles: (Role | null)[] = ['create', 'review', 'edit', 'comment', 'read', null];
  readers = [{ name: 'admin', client: admin }];
  for (const role of roles) readers.push(await member(`${role}`, role));
  const granted = await member('guest with a grant', null);
  await grant(database, organization, { user: granted.id, space: spaces[2] as string, role: 'edit' });
  const inCollection = await member('reader with a collection', 'read');
  await grant(database, organization, { user: inCollection.id, collection: collection.id, role: 'comment' });
  const teammate = await member('guest with a team', null);
  const team = await build.team(organization, { members: [teammate.id] });
  await grant(database, organization, { team: team.id, space: spaces[0] as string, role: 'read' });
  const disabled = await member('disabled', 'read');
  const other = await build.organization();
  await join(database, other.id, disabled.id, 'read');
  readers.push(granted, inCollection, teammate, { name: 'stranger', client: as(other.admin.token) });
  const visitor = async (name: string, signed: object, unsigned: object): Promise<Reader> => ({
    name,
    isVisitor: true,
    client: as(
      await signVisitorToken(services.signer, {
        site,
        organization,
        pass: {},
        claims: { signed, unsigned } as never,
      }),
    ),
  });
  readers.push(
    await visitor('visitor', {}, {}),
    await visitor('pro', { isPro: true }, {}),
    await visitor('beta', {}, { isBeta: true }),
    await visitor('both', { isPro: true }, { isBeta: true }),
    await visitor('pretender', {}, { isPro: true }),
  );
  await index(service, organization);
});
afterAll(() => service.close());

/** Pages that are visible to all, some or no readers, at the top level and nested. */
function pagesOf(at: number): object[] {
  const conditional = `${someWords()}.\n\n{% if ${IS_PRO} %}\n${someWords()}.\n{% if ${IS_BETA} %}\n${someWords()}.\n{% endif %}\n{% endif %}\n`;
  const named = (name: string) => `${name} of ${at}`;
  return [
    page(named('Plain'), `${someWords()}.\n\n## ${someWords()}\n\n${someWords()}.`, { ref: 'plain' }),
    page(named('Hidden'), someWords(), { hidden: true, ref: 'hidden' }),
    page(named('Below hidden'), someWords(), { into: 'hidden', ref: 'below' }),
    page(named('Deep below hidden'), someWords(), { into: 'below' }),
    page(named('For pro'), someWords(), { condition: IS_PRO, ref: 'pro' }),
    page(named('For pro and beta'), someWords(), { condition: IS_BETA, into: 'pro' }),
    page(named('Below pro'), someWords(), { into: 'pro' }),
    page(named('Broken'), someWords(), { condition: `!${IS_PRO}.x` }),
    page(named('In parts'), conditional, { into: 'plain' }),
    page(named('Excluded'), someWords(), { noIndex: true, ref: 'excluded' }),
    page(named('Below excluded'), someWords(), { into: 'excluded' }),
  ];
}

interface ListedPage {
  id: string;
  type: string;
  hidden?: boolean;
  noIndex?: boolean;
  pages?: ListedPage[];
}

/** The text of each page that a reader may find in a space, as the API returns it to this reader. */
async function textsOf({ client, isVisitor }: Reader, space: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const opened = await client.get(`/spaces/${space}`);
  if (opened.status === 404) return texts;
  const isEditor = !isVisitor && opened.body.permissions.edit;
  const { pages } = await expectOk(client.get(`/spaces/${space}/content/pages`));
  const visit = async (listed: readonly ListedPage[], inHidden: boolean): Promise<void> => {
    for (const { id, hidden, noIndex, pages: below = [] } of listed) {
      const isHidden = inHidden || hidden === true;
      if (!noIndex && (!isHidden || isEditor)) {
        const { markdown } = await expectOk(
          client.get(`/spaces/${space}/content/page/${id}?format=markdown`),
        );
        texts.set(id, markdown);
      }
      await visit(below, isHidden);
    }
  };
  await visit(pages, false);
  return texts;
}

const sortedIds = (pages: readonly { id: string }[]): string[] => pages.map(({ id }) => id).sort();

test('every reader finds exactly what they may see, in spaces, the organization and the site', async () => {
  const all = [...spaces, ...(await readCopies())];
  let total = 0;
  for (const reader of readers) {
    const texts = new Map<string, Map<string, string>>();
    for (const space of all) texts.set(space, await textsOf(reader, space));
    for (let run = 0; run < RUNS; run++) {
      const word = WORDS[run % WORDS.length] as string;
      const query = run % 2 === 0 ? word : `${word} ${WORDS[random(WORDS.length)]}`;
      const words = query.split(' ');
      const expected = new Map<string, string[]>();
      for (const [space, pages] of texts) {
        const ids = [...pages]
          .filter(([, text]) => words.some((one) => text.includes(one)))
          .map(([id]) => id);
        if (ids.length > 0) expected.set(space, ids.sort());
      }
      const about = `${reader.name} by ${query}`;
      for (const space of all) {
        const { status, body } = await reader.client.get(`/spaces/${space}/search?query=${query}&limit=100`);
        if (status === 404) expect(expected.get(space), about).toBeUndefined();
        else {
          expect(sortedIds(body.items), about).toEqual(expected.get(space) ?? []);
          expect(body.count, about).toBe(expected.get(space)?.length ?? 0);
          total += body.count;
          for (const { id, sections } of body.items)
            for (const { body: excerpt } of sections)
              for (const one of WORDS)
                if (excerpt.includes(one)) expect(texts.get(space)?.get(id), about).toContain(one);
        }
      }
      if (reader.isVisitor) {
        const { items } = await expectOk(
          reader.client.post(`/orgs/${organization}/sites/${site}/search`, { query, mode: 'all' }),
        );
        expectSpaces(items, expected, about);
      } else {
        const { status, body } = await reader.client.get(`/orgs/${organization}/search?query=${query}`);
        if (status === 404) expect(expected.size, about).toBe(0);
        else {
          expectSpaces(body.items, expected, about);
          expect(body.count, about).toBe(expected.size);
        }
      }
    }
  }
  expect(total).toBeGreaterThan(100);
});

function expectSpaces(
  items: readonly { id: string; pages: { id: string }[] }[],
  expected: ReadonlyMap<string, string[]>,
  about: string,
): void {
  const listed = new Map(items.map(({ id, pages }) => [id, sortedIds(pages)]));
  for (const [space, ids] of expected)
    if ([...expected.values()].flat().length <= 20) expect(listed.get(space), about).toEqual(ids);
  expect([...listed.keys()].sort(), about).toEqual([...expected.keys()].sort());
}

/** The spaces of the organization that were created by duplicating. */
async function readCopies(): Promise<string[]> {
  const [admin] = readers as [Reader];
  const { items } = await expectOk(admin.client.get(`/orgs/${organization}/spaces?limit=100`));
  return items.map(({ id }: { id: string }) => id).filter((id: string) => !spaces.includes(id));
}
