import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signVisitorToken } from '../../routers/access/visitor-token.ts';
import { type FakeOpenSearch, startFakeOpenSearch } from '../helpers/fake-opensearch.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { index, page, spaceWith } from './scene.ts';

const IS_PRO = 'visitor.claims.isPro';

/** Twice as many words with the same beginning as complete a prefix. */
const CROWD = Array.from({ length: 60 }, (_, at) => `crowd${String.fromCharCode(97 + (at % 26))}x${at}`);

/** What the readers may see. */
const VISIBLE = [
  page('Typo', 'The obsidqantree is written like this on purpose. So is sapphqretree.'),
  page('Prefix', 'A crowdy place. A mandrake grows there.'),
  page('Helio', 'About heliotrope, and nothing else.'),
  page('Mandra', 'About mandragora, and nothing else.'),
  page('Variant', 'They migrate the tables every night.'),
  page('Parts', 'The engine of the turbine is quiet.'),
];

/** What they may not see: words that the queries below name, complete, misspell or vary. */
const SECRET = [
  page('Names', 'Our code names are obsidiantree and sapphiretree. The obsidiantree is first.'),
  ...['One', 'Two', 'Three'].map((title) => page(title, `Again heliotrope, and migrations. ${title}.`)),
  page('Crowd', `${CROWD.join(' ')}. ${CROWD.join(' ')}.`),
  page('More of the crowd', CROWD.join(' ')),
  page('Identifier', 'Call `turbine.Engine_Secret` or `turbineEngine`.'),
];

const QUERIES = [
  'obsidiantree ',
  'sapphiretree ',
  'obsidia',
  'obsidi',
  'crowd',
  'crowdx ',
  'helio',
  'heliotrope mandragora',
  'mandragora heliotrope ',
  'migrations ',
  'turbineEngine ',
  'turbine.Engine_Secret ',
  'what is the heliotrope of the mandragora',
];

describe.each(['the database', 'a search engine'])('postings in %s', (kind) => {
  let engine: FakeOpenSearch | undefined;
  let service: TestService;
  let organization: string;
  let admin: Client;
  let open: string;
  let member: Client;
  let visitor: Client;
  /** A visitor who meets the condition. */
  let proVisitor: Client;
  let site: string;

  beforeAll(async () => {
    engine = kind === 'a search engine' ? await startFakeOpenSearch() : undefined;
    service = await startTestService(engine && { SEARCH_URL: engine.url });
    const { build, as, runtime } = service;
    const built = await build.organization();
    organization = built.id;
    admin = as(built.admin.token);
    ({ id: open } = await spaceWith(admin, organization, VISIBLE));
    ({ id: site } = await build.site(organization, { spaces: [open] }));
    await expectOk(
      admin.patch(`/orgs/${organization}/sites/${site}`, { adaptiveContent: { enabled: true } }),
    );
    member = as((await build.member(organization, 'read')).token);
    const claims = { signed: {}, unsigned: {} };
    const visitorWith = async (signed: object) => {
      const claimed = { site, organization, pass: {}, claims: { ...claims, signed } } as never;
      return as(await signVisitorToken(runtime.services.signer, claimed));
    };
    visitor = await visitorWith({});
    proVisitor = await visitorWith({ isPro: true });
    await index(service, organization);
  });
  afterAll(async () => {
    await service.close();
    await engine?.close();
  });

  const pathOf = (query: string) => `/spaces/${open}/search?query=${encodeURIComponent(query)}`;

  /** Searches as somebody who sees more, so that a process remembers what they may find. */
  async function searchFirst(client: Client): Promise<void> {
    for (const query of QUERIES) await expectOk(client.get(pathOf(query)));
  }

  /** All that each reader learns from each of the queries. */
  async function answers(): Promise<object[]> {
    const found: object[] = [];
    for (const query of QUERIES) {
      const path = pathOf(query);
      const all = `/orgs/${organization}/search?query=${encodeURIComponent(query)}`;
      const onSite = { query, scope: { mode: 'all' } };
      found.push({
        query,
        member: await expectOk(member.get(path)),
        organization: await expectOk(member.get(all)),
        visitor: await expectOk(visitor.get(path)),
        site: await expectOk(visitor.post(`/orgs/${organization}/sites/${site}/search`, onSite)),
      });
    }
    return found;
  }

  test('no search tells a reader which words are in pages that they may not see', async () => {
    const before = await answers();
    const hits = before.map((one) => (one as { member: { count: number } }).member.count);
    // Misspelt and unfinished words find something, and so do words that are nowhere else.
    expect(hits.filter((count) => count > 0).length).toBeGreaterThan(8);

    const { id: secret } = await spaceWith(admin, organization, SECRET);
    await expectOk(admin.patch(`/spaces/${secret}`, { defaultLevel: null }));
    await index(service, organization);
    expect(await answers()).toEqual(before);

    await expectOk(
      admin.post(`/spaces/${open}/content`, {
        changes: SECRET.map((change) => ({ ...change, hidden: true })),
      }),
    );
    await index(service, organization);
    await searchFirst(admin);
    expect(await answers()).toEqual(before);
  });

  test('nor does one tell a visitor which words are in content whose condition they do not meet', async () => {
    const read = async () => {
      const found: object[] = [];
      for (const query of QUERIES) found.push(await expectOk(visitor.get(pathOf(query))));
      return found;
    };
    const before = await read();
    await expectOk(
      admin.post(`/spaces/${open}/content`, {
        changes: SECRET.map((change) => ({ ...change, condition: IS_PRO })),
      }),
    );
    await index(service, organization);
    await searchFirst(proVisitor);
    expect(await read()).toEqual(before);
  });
});
