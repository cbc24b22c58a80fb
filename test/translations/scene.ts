import { vi } from 'vitest';
import type { TranslationEngine } from '../../routers/base/language-ports.ts';
import { pseudoEngine } from '../../server/language/translation-engines.ts';
import { type Client, expectOk, type TestService } from '../helpers/service.ts';
import { runTranslations } from '../helpers/translations.ts';

/** An organization with a space to translate. */
export interface Scene {
  service: TestService;
  admin: Client;
  organization: string;
  at: string;
  space: string;
  /** The ids of pages by title. */
  pages: Record<string, string>;
}

const MARKDOWN = `Click **Save** in the [settings](https://example.com/settings), then run \`npm start\`.

## Get started

{% hint style="info" %}
Use {{ space.vars.name }} or $$x^2$$.
{% endhint %}

\`\`\`js
const a = 'not translated';
\`\`\`

![A picture](https://example.com/a.png)`;

/** An organization with a space of three pages. */
export async function translationScene(service: TestService): Promise<Scene> {
  const { id: organization, admin: person } = await service.build.organization();
  const admin = service.as(person.token);
  const space = (await expectOk(admin.post(`/orgs/${organization}/spaces`, { title: 'Handbook' }))).id;
  const insert = (title: string, markdown: string, more: object = {}) => ({
    operation: 'insert_page',
    title,
    document: { markdown },
    ...more,
  });
  const changes = [
    insert('Start', MARKDOWN, { description: 'The first page' }),
    insert('Billing', 'You get an invoice each month.\n\nIt can be paid by card.'),
    insert('Support', 'Write to us.'),
  ];
  await expectOk(admin.post(`/spaces/${space}/content`, { changes }));
  const content = await expectOk(admin.get(`/spaces/${space}/content`));
  const pages = Object.fromEntries(
    content.pages.map(({ id, title }: { id: string; title: string }) => [title, id]),
  );
  return { service, admin, organization, at: `/orgs/${organization}/translations`, space, pages };
}

export const edit = (client: Client, space: string, ...changes: object[]) =>
  expectOk(client.post(`/spaces/${space}/content`, { changes }));

export const updated = (page: string | undefined, markdown: string) => ({
  operation: 'update_page',
  page,
  document: { markdown },
});

// biome-ignore lint/suspicious/noExplicitAny: as the bodies of responses
export async function translated({ service, admin, at, space }: Scene, more: object = {}): Promise<any> {
  const source = { space, language: 'en' };
  const { id } = await expectOk(admin.post(at, { source, language: 'de', ...more }));
  await runTranslations(service);
  return expectOk(admin.get(`${at}/${id}`));
}

// biome-ignore lint/suspicious/noExplicitAny: as the bodies of responses
export async function runAgain({ service, admin, at }: Scene, { id }: { id: string }): Promise<any> {
  await expectOk(admin.post(`${at}/${id}/run`));
  await runTranslations(service);
  return expectOk(admin.get(`${at}/${id}`));
}

export const pageOf = async (client: Client, space: string, page: string | undefined, format = 'markdown') =>
  expectOk(client.get(`/spaces/${space}/content/page/${page}?format=${format}`));

/** An engine that returns the results of a function, and the requests that it received. */
export function engineOf(
  service: TestService,
  response: TranslationEngine['translate'],
  more: Partial<TranslationEngine> = {},
) {
  const translate = vi.fn(response);
  service.runtime.services.translationEngine = { ...pseudoEngine, id: 'test', ...more, translate };
  return translate;
}

export const shouting: TranslationEngine['translate'] = async ({ texts }) =>
  texts.map((text) =>
    text.replace(/(?<=^|>)[^<]+/g, (words) => words.toUpperCase().replace(/&AMP;/g, '&amp;')),
  );
