import type { BrowserContextOptions, Page } from 'playwright-core';
import { index } from '../search/scene.ts';
import { startBrowsedService, visitIn } from './browser.ts';

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

/** Publishes the site, and starts a browser. */
export async function openBrowsedSite(): Promise<BrowsedSite> {
  const { service, browser, organization, publish, close } = await startBrowsedService();
  const page = (title: string, markdown: string, fields: object = {}) => ({
    title,
    document: { markdown },
    ...fields,
  });
  const pages = [
    page('Welcome', GUIDE, { description: 'All of it', ref: 'welcome' }),
    page('Setting up', 'How to set up a turbine.', { into: 'welcome' }),
    page('Reference', 'Words.'),
  ];
  const to = (url: string) => ({ kind: 'url', url });
  const header = {
    links: [
      { title: 'Status', to: to('https://status.example/'), links: [] },
      { title: 'Company', to: null, links: [{ title: 'Team', to: to('https://team.example/') }] },
    ],
  };
  const root = await publish(pages, { header });
  await index(service, organization);
  return { root, visit: (options, use) => visitIn(browser, root, options, use), close };
}
