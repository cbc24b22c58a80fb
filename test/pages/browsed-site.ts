import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expectOk, startTestService } from '../helpers/service.ts';
import { index } from '../search/scene.ts';
import { launchBrowser, visitIn } from './browser.ts';

const GUIDE = `Begin with the [install](/install) page, or [read more](#more).

## Install

{% tabs %}
{% tab title="npm" %}
\`\`\`bash
npm install colophon
\`\`\`
{% endtab %}

{% tab title="yarn" %}
\`\`\`bash
yarn add colophon
\`\`\`
{% endtab %}
{% endtabs %}

{% hint style="info" %}
Mind the **gap**.
{% endhint %}

## Configure

| Name | Meaning |
|---|---|
| \`PORT\` | where it listens |

<details>

<summary>More</summary>

### Inside

Folded text.

</details>

- [x] done
- [ ] open

## Mathematics

$$
\\sqrt{a^2 + b^2}
$$

{% stepper %}
{% step %}
### First step

Do it.
{% endstep %}
{% endstepper %}
`;

/** A published site with three pages, and a browser to read them in. */
export interface BrowsedSite {
  /** The address of its first page. */
  root: string;
  /** Opens the first page, uses it, and closes it. */
  visit<Result>(options: BrowserContextOptions, use: (page: Page) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Publishes the site, which listens on a port, and starts a browser. */
export async function openBrowsedSite(): Promise<BrowsedSite> {
  const service = await startTestService();
  const address = await service.app.listen({ port: 0, host: '127.0.0.1' });
  service.runtime.publicUrl = address.replace('127.0.0.1', 'localhost');
  const { id: organization, admin: person } = await service.build.organization();
  const admin = service.as(person.token);
  const { id: space } = await expectOk(admin.post(`/orgs/${organization}/spaces`, { title: 'Guide' }));
  const page = (title: string, markdown: string, fields: object = {}) => ({
    operation: 'insert_page',
    title,
    document: { markdown },
    ...fields,
  });
  const changes = [
    page('Welcome', GUIDE, { description: 'All of it', ref: 'welcome' }),
    page('Setting up', 'How to set up a turbine.', { into: 'welcome' }),
    page('Reference', 'Words.'),
  ];
  await expectOk(admin.post(`/spaces/${space}/content`, { changes }));
  const { id: site } = await expectOk(
    admin.post(`/orgs/${organization}/sites`, { title: 'Turbines', spaces: [space] }),
  );
  const to = (url: string) => ({ kind: 'url', url });
  const header = {
    links: [
      { title: 'Status', to: to('https://status.example/'), links: [] },
      { title: 'Company', to: null, links: [{ title: 'Team', to: to('https://team.example/') }] },
    ],
  };
  await expectOk(admin.patch(`/orgs/${organization}/sites/${site}/customization`, { header }));
  await expectOk(admin.post(`/orgs/${organization}/sites/${site}/publish`));
  await index(service, organization);
  const root = `${service.runtime.publicUrl}/sites/${site}/`;
  const browser: Browser = await launchBrowser();
  return {
    root,
    visit: (options, use) => visitIn(browser, root, options, use),
    async close() {
      await browser.close();
      await service.close();
    },
  };
}
