import type { LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';

type Read = (url: string, headers?: Record<string, string>) => Promise<LightMyRequestResponse>;

/** A published site with one space. */
export interface GuideSite {
  service: TestService;
  admin: Client;
  /** The id of the admin. */
  person: string;
  organization: string;
  space: string;
  site: string;
  /** Where its pages are. */
  at: string;
  /** The ids of pages by their titles. */
  ids: Record<string, string>;
  /** Inserts pages into the space. */
  insert(...pages: object[]): Promise<void>;
  /** Requests an address without credentials. */
  get: Read;
  /** Requests the address of a page, which must be there. */
  page: Read;
}

/** Content that tries to inject markup and scripts everywhere. */
const HOSTILE_MARKDOWN = `Before <script>alert(1)</script> and <img src=x onerror=alert(2)>.

<iframe src="https://evil.example"></iframe>

## A "heading" <b onclick=alert(6)>

\`\`\`js title="<script>alert(7)</script>"
const a = "</code><script>alert(8)</script>";
\`\`\`

$$\\href{javascript:alert(9)}{x}$$

{% tabs %}
{% tab title="\\"><script>alert(10)</script>" %}
Inside.
{% endtab %}
{% endtabs %}

{% hint style="warning" %}
Mind the **gap**.
{% endhint %}
`;

/** Starts a service with a published site: a page, a group with one, one that search engines may not list, and a hidden one. */
export async function startGuideSite(): Promise<GuideSite> {
  const service = await startTestService({ SITES_DOMAIN: 'sites.test' });
  const { id: organization, admin: owner } = await service.build.organization();
  const admin = service.as(owner.token);
  const { id: space } = await expectOk(admin.post(`/orgs/${organization}/spaces`, { title: 'Guide' }));
  const ids: GuideSite['ids'] = {};
  const insert = async (...pages: object[]) => {
    const changes = pages.map((one) => ({ operation: 'insert_page', ...one }));
    const inserted = await expectOk(admin.post(`/spaces/${space}/content`, { compat: false, changes }));
    for (const { id, page } of inserted.changes.pages) ids[page.title] = id;
  };
  await insert({ title: 'Welcome', description: 'What it <is>', document: { markdown: 'Hello *you*.' } });
  await insert(
    { title: 'Group', type: 'group', ref: 'group' },
    { title: 'First', into: 'group', document: { markdown: HOSTILE_MARKDOWN } },
  );
  await insert({ title: 'Unlisted', noRobotsIndex: true, document: { markdown: 'Quiet.' } });
  await insert({ title: 'Hidden', hidden: true, document: { markdown: 'Only by its address.' } });
  const sites = `/orgs/${organization}/sites`;
  const { id: site } = await expectOk(admin.post(sites, { title: 'Docs & more', spaces: [space] }));
  await expectOk(admin.post(`${sites}/${site}/publish`));
  const get: Read = (url, headers = {}) =>
    service.app.inject({ url, headers: { host: 'docs.test', ...headers } });
  const page: Read = async (url, headers) => {
    const response = await get(url, headers);
    expect(response.statusCode, `${url}: ${response.body.slice(0, 300)}`).toBe(200);
    return response;
  };
  return {
    service,
    admin,
    person: owner.id,
    organization,
    space,
    site,
    at: `/sites/${site}`,
    ids,
    insert,
    get,
    page,
  };
}

/** The addresses of all links of a page, as they are written. */
export const links = (body: string): string[] =>
  [...body.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => href);
