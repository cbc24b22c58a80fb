import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { EngineFailure, type TranslationEngine } from '../../routers/base/language-ports.ts';
import { removeUnusedTranslations } from '../../routers/translations/memory.operation.ts';
import { runTranslation } from '../../routers/translations/run.operation.ts';
import { jobContext } from '../../server/context.ts';
import { pseudoEngine } from '../../server/language/translation-engines.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { runTranslationRefresh, runTranslations } from '../helpers/translations.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterEach(() => {
  service.runtime.services.translationEngine = pseudoEngine;
});
afterAll(() => service.close());

interface Scene {
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
async function scene(): Promise<Scene> {
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
  return { admin, organization, at: `/orgs/${organization}/translations`, space, pages };
}

const edit = (client: Client, space: string, ...changes: object[]) =>
  expectOk(client.post(`/spaces/${space}/content`, { changes }));

const updated = (page: string | undefined, markdown: string) => ({
  operation: 'update_page',
  page,
  document: { markdown },
});

// biome-ignore lint/suspicious/noExplicitAny: as the bodies of responses
async function translated({ admin, at, space }: Scene, more: object = {}): Promise<any> {
  const source = { space, language: 'en' };
  const { id } = await expectOk(admin.post(at, { source, language: 'de', ...more }));
  await runTranslations(service);
  return expectOk(admin.get(`${at}/${id}`));
}

// biome-ignore lint/suspicious/noExplicitAny: as the bodies of responses
async function runAgain({ admin, at }: Scene, { id }: { id: string }): Promise<any> {
  await expectOk(admin.post(`${at}/${id}/run`));
  await runTranslations(service);
  return expectOk(admin.get(`${at}/${id}`));
}

const pageOf = async (client: Client, space: string, page: string | undefined, format = 'markdown') =>
  expectOk(client.get(`/spaces/${space}/content/page/${page}?format=${format}`));

/** An engine that returns the results of a function, and the requests that it received. */
function engineOf(response: TranslationEngine['translate'], more: Partial<TranslationEngine> = {}) {
  const translate = vi.fn(response);
  service.runtime.services.translationEngine = { ...pseudoEngine, id: 'test', ...more, translate };
  return translate;
}

const shouting: TranslationEngine['translate'] = async ({ texts }) =>
  texts.map((text) =>
    text.replace(/(?<=^|>)[^<]+/g, (words) => words.toUpperCase().replace(/&AMP;/g, '&amp;')),
  );

test('translated texts are kept for a year after a run last used them', async () => {
  const one = await scene();
  const translate = engineOf(shouting);
  await translated(one);
  const { db } = service.runtime.database;
  const old = (days: number) =>
    sql`update translated_text set used_at = now() - make_interval(days => ${days}::int) where organization_id = ${one.organization}`.execute(
      db,
    );
  const left = async () => {
    const mine = db.selectFrom('translated_text').where('organization_id', '=', one.organization);
    return (await mine.select('hash').execute()).length;
  };
  const all = await left();
  await old(364);
  await removeUnusedTranslations({ db });
  expect(await left()).toBe(all);
  await old(366);
  // Another translation of the same text uses it again.
  translate.mockClear();
  await translated(one);
  expect(translate).not.toHaveBeenCalled();
  await removeUnusedTranslations({ db });
  expect(await left()).toBe(all);
  await old(366);
  await removeUnusedTranslations({ db });
  expect(await left()).toBe(0);
});

test('a translation is created in a space of its own, with translated texts and everything else unchanged', async () => {
  const one = await scene();
  const created = await expectOk(
    one.admin.post(one.at, { source: { space: one.space, language: 'en' }, language: 'de' }),
  );
  expect(created).toMatchObject({
    status: 'pending',
    engine: 'pseudo',
    source: { space: one.space, language: 'en' },
    language: 'de',
    runOnChange: false,
    permissions: { view: true, edit: true },
    stats: { runs: 0, totalPages: 0 },
  });
  expect(created).not.toHaveProperty('result');
  await runTranslations(service);
  const done = await expectOk(one.admin.get(`${one.at}/${created.id}`));
  expect(done).toMatchObject({ status: 'completed', stats: { runs: 1, totalPages: 3, latestPages: 3 } });
  expect(done).not.toHaveProperty('error');
  expect(done.stats.totalWords).toBeGreaterThan(25);
  const { space } = done.result;
  expect(await expectOk(one.admin.get(`/spaces/${space}`))).toMatchObject({
    title: 'Deutsch: Handbook',
    language: 'de',
  });
  const page = await pageOf(one.admin, space, one.pages.Start);
  expect(page).toMatchObject({
    title: '⟦Šţåŕţ⟧',
    description: '⟦Ţĥé ƒiŕšţ þåĝé⟧'.replace('i', 'î'),
    path: 'start',
  });
  expect(page.markdown).toContain('[⟦šéţţîñĝš⟧](https://example.com/settings)');
  expect(page.markdown).toContain('**⟦Šåṽé⟧**');
  for (const kept of ['`npm start`', '{{ space.vars.name }}', '$$x^2$$', "const a = 'not translated';"])
    expect(page.markdown).toContain(kept);
  expect(page.markdown).toContain('id="get-started"');
  expect(page.markdown).not.toMatch(/A picture/);
  const [listed] = (await expectOk(one.admin.get(one.at))).items;
  expect(listed).toEqual(done);
});

test('a translation is refused without two different languages, for an unknown space, and with too long instructions', async () => {
  const one = await scene();
  const text = { object: 'text', leaves: [{ object: 'leaf', text: 'a'.repeat(20_000), marks: [] }] };
  const long = {
    object: 'document',
    data: { schemaVersion: 1 },
    nodes: [{ object: 'block', type: 'paragraph', nodes: [text] }],
  };
  const source = { space: one.space, language: 'en' };
  for (const body of [
    { source, language: 'en' },
    { source, language: 'xx' },
    { source: { space: one.space }, language: 'de' },
    { source, language: 'de', instructions: long },
    { source, language: 'de', instructions: 'Be nice' },
  ])
    expect((await one.admin.post(one.at, body)).status).toBe(400);
  const other = await scene();
  const foreign = { source: { space: other.space, language: 'en' }, language: 'de' };
  expect((await one.admin.post(one.at, foreign)).status).toBe(404);
  expect((await expectOk(one.admin.get(one.at))).count).toBe(0);
});

describe('another run', () => {
  test('another run translates new content, moves and deletes what was moved and deleted, and leaves the rest unchanged', async () => {
    const one = await scene();
    const first = await translated(one);
    expect(await runAgain(one, first)).toMatchObject({
      result: first.result,
      stats: { runs: 2, latestPages: 0, latestWords: 0, totalPages: 3 },
    });
    await edit(
      one.admin,
      one.space,
      updated(one.pages.Billing, 'You get an invoice each month.\n\nIt can be paid by cheque.'),
      { operation: 'delete_page', page: one.pages.Support },
      { operation: 'insert_page', title: 'News', into: one.pages.Start },
    );
    const asked = engineOf(shouting, { id: pseudoEngine.id });
    const second = await runAgain(one, first);
    expect(asked.mock.calls.flatMap(([{ texts }]) => texts)).toEqual(['News', 'It can be paid by cheque.']);
    expect(second.stats).toMatchObject({ latestPages: 2, latestWords: 7, totalPages: 4 });
    const { pages } = await expectOk(one.admin.get(`/spaces/${second.result.space}/content`));
    expect(pages).toMatchObject([{ pages: [{ title: 'NEWS' }] }, { id: one.pages.Billing }]);
    expect((await pageOf(one.admin, second.result.space, one.pages.Billing)).markdown).toContain(
      'IT CAN BE PAID BY CHEQUE.',
    );
  });

  test('another run keeps edits by users, merges what it can, and reports conflicts', async () => {
    const one = await scene();
    const first = await translated(one);
    const { space } = first.result;
    const page = one.pages.Billing;
    const { markdown } = await pageOf(one.admin, space, page);
    const [, invoice = '', card = ''] = markdown.split('\n\n');
    await edit(one.admin, space, updated(page, `${invoice}\n\nVon Hand geschrieben.`), {
      operation: 'insert_page',
      title: 'Impressum',
    });
    await edit(
      one.admin,
      one.space,
      updated(page, 'You get an invoice each week.\n\nIt can be paid by card.'),
    );
    const second = await runAgain(one, first);
    expect(second).not.toHaveProperty('conflicts');
    const merged = (await pageOf(one.admin, space, page)).markdown;
    expect(merged).toContain('Von Hand geschrieben.');
    expect(merged).toContain('ŵééķ');
    expect(merged).not.toContain(card);

    await edit(
      one.admin,
      one.space,
      updated(page, 'You get an invoice each week.\n\nIt must be paid by cheque.'),
    );
    const third = await runAgain(one, second);
    expect(third.conflicts).toMatchObject([{ kind: 'document-block', page, field: 'text' }]);
    expect((await pageOf(one.admin, space, page)).markdown).toContain('Von Hand geschrieben.');
    const { pages } = await expectOk(one.admin.get(`/spaces/${space}/content`));
    expect(pages.map(({ title }: { title: string }) => title)).toContain('Impressum');
    expect((await runAgain(one, third)).conflicts).toEqual(third.conflicts);
  });

  test('a run that is requested while one is in progress follows it, once', async () => {
    const one = await scene();
    const first = await translated(one);
    await edit(one.admin, one.space, updated(one.pages.Support, 'Call us.'));
    engineOf(async (request) => {
      for (let asked = 0; asked < 3; asked++) await expectOk(one.admin.post(`${one.at}/${first.id}/run`));
      expect(await expectOk(one.admin.get(`${one.at}/${first.id}`))).toMatchObject({ status: 'running' });
      return pseudoEngine.translate(request);
    });
    const during = await runAgain(one, first);
    expect(during).toMatchObject({ status: 'pending', stats: { runs: 2 } });
    await runTranslations(service);
    const after = await expectOk(one.admin.get(`${one.at}/${first.id}`));
    expect(after).toMatchObject({ status: 'completed', stats: { runs: 3, latestPages: 0 } });
  });

  test('another run follows a change of the source, if the translation is automatic', async () => {
    const one = await scene();
    const kept = await translated(one, { runOnChange: true });
    const other = await translated(one, { language: 'fr' });
    await edit(one.admin, one.space, updated(one.pages.Support, 'Call us.'));
    const { db } = service.runtime.database;
    const { rows } = await db.executeQuery<{ data: unknown }>(
      sql`select data from pgboss.job where name = 'refresh-translations'`.compile(db),
    );
    expect(rows.map(({ data }) => data)).toContainEqual({ spaces: [one.space] });
    await runTranslationRefresh(service, one.space);
    expect(await expectOk(one.admin.get(`${one.at}/${kept.id}`))).toMatchObject({ status: 'pending' });
    expect(await expectOk(one.admin.get(`${one.at}/${other.id}`))).toMatchObject({ status: 'completed' });
    await runTranslations(service);
  });
});

describe('a run', () => {
  test('a run that is cancelled leaves the last result, whatever it still does', async () => {
    const one = await scene();
    const first = await translated(one);
    await edit(one.admin, one.space, updated(one.pages.Support, 'Call us.'));
    engineOf(async (request) => {
      await expectOk(one.admin.post(`${one.at}/${first.id}/cancel`));
      return pseudoEngine.translate(request);
    });
    const cancelled = await runAgain(one, first);
    expect(cancelled).toMatchObject({
      status: 'completed',
      error: 'The run was cancelled.',
      result: first.result,
      stats: { runs: 1 },
    });
    expect((await pageOf(one.admin, first.result.space, one.pages.Support)).markdown).not.toContain('Çåļļ');
    service.runtime.services.translationEngine = pseudoEngine;
    expect(await runAgain(one, first)).toMatchObject({ status: 'completed', stats: { latestPages: 1 } });
  });

  test('a run that fails reports why, and keeps the last result and the translated texts', async () => {
    const one = await scene();
    let calls = 0;
    engineOf(
      async (request) => {
        if (++calls === 3) throw new EngineFailure('The engine is not there.');
        return pseudoEngine.translate(request);
      },
      { limits: { texts: 1, characters: 1000, requests: 1 } },
    );
    const failed = await translated(one);
    expect(failed).toMatchObject({
      status: 'completed',
      error: 'The engine is not there.',
      stats: { runs: 1 },
    });
    expect(failed).not.toHaveProperty('result');
    const again = engineOf(pseudoEngine.translate);
    expect(await runAgain(one, failed)).not.toHaveProperty('error');
    expect(again.mock.calls.flatMap(([{ texts }]) => texts)).not.toContain('Start');
  });

  test('a run keeps markup that the engine loses, and reports what it could not translate', async () => {
    const one = await scene();
    const stubborn: TranslationEngine['translate'] = async ({ texts }) =>
      texts.map((text) => (text.includes('card') ? '' : text.replace(/<[^>]*>/g, '').toUpperCase()));
    engineOf(stubborn);
    const done = await translated(one);
    expect(done.error).toBe('One text could not be translated, and remain in the language of the source.');
    const start = await pageOf(one.admin, done.result.space, one.pages.Start);
    expect(start.markdown).toContain(
      'CLICK **SAVE** IN THE [SETTINGS](https://example.com/settings), THEN RUN `npm start`.',
    );
    const billing = await pageOf(one.admin, done.result.space, one.pages.Billing);
    expect(billing.markdown).toContain('It can be paid by card.');
    engineOf(shouting);
    const second = await runAgain(one, done);
    expect(second).not.toHaveProperty('error');
    expect(second.stats.latestWords).toBe(15);
  });

  test('a run ends with an error if the engine only returns nonsense', async () => {
    const one = await scene();
    engineOf(async ({ texts }) => texts.map(() => '<g1>?'));
    expect(await translated(one)).toMatchObject({
      status: 'completed',
      error: 'The translation engine gave no usable translation of most texts.',
    });
  });

  test('a run uses the glossary, and translates only texts with changed terms again', async () => {
    const one = await scene();
    const glossary = `${one.at}-glossary`;
    const insert = { type: 'insert', translations: { en: 'Invoice', de: 'Rechnung', fr: 'Facture' } };
    await expectOk(one.admin.put(glossary, { operations: [insert] }));
    const first = await translated(one);
    const read = async () => (await pageOf(one.admin, first.result.space, one.pages.Billing)).markdown;
    expect(await read()).toContain('Rechnung');
    const [entry] = (await expectOk(one.admin.get(glossary))).items;
    expect(await expectOk(one.admin.get(`${glossary}/${entry.id}`))).toEqual(entry);
    const update = { type: 'update', id: entry.id, translations: { en: 'Invoice', de: 'Faktura' } };
    await expectOk(one.admin.put(glossary, { operations: [update] }));
    const asked = engineOf(pseudoEngine.translate, { id: pseudoEngine.id });
    await runAgain(one, first);
    expect(asked.mock.calls.flatMap(([{ texts }]) => texts)).toEqual(['You get an invoice each month.']);
    expect(await read()).toContain('Faktura');
    await expectOk(one.admin.put(glossary, { operations: [{ type: 'delete', id: entry.id }] }));
    expect((await expectOk(one.admin.get(glossary))).count).toBe(0);
    for (const [operations, status] of [
      [[{ type: 'update', id: entry.id, translations: {} }], 404],
      [[{ type: 'delete', id: entry.id }], 404],
      [[{ type: 'insert', translations: { xx: 'a' } }], 400],
      [[{ type: 'insert', translations: { en: 'a\nb' } }], 400],
      [[{ type: 'insert', translations: { en: '' } }], 400],
    ] as const)
      expect((await one.admin.put(glossary, { operations })).status).toBe(status);
  });

  test('a run sends the instructions, including those of the organization, to an engine that accepts them', async () => {
    const one = await scene();
    const said = (text: string) => ({
      object: 'document',
      data: { schemaVersion: 1 },
      nodes: [
        {
          object: 'block',
          type: 'paragraph',
          isVoid: false,
          data: {},
          nodes: [{ object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] }],
        },
      ],
    });
    const agents = `/orgs/${one.organization}/agent-instructions`;
    await expectOk(one.admin.put(agents, { instructions: said('Never mention whales.') }));
    const asked = engineOf(pseudoEngine.translate, { acceptsInstructions: true });
    const first = await translated(one, { instructions: said('Say Sie.') });
    expect(asked.mock.calls[0]?.[0].instructions).toBe('Never mention whales.\n\nSay Sie.');
    asked.mockClear();
    await expectOk(one.admin.put(`${one.at}/${first.id}`, { instructions: said('Say du.') }));
    expect((await runAgain(one, first)).stats.latestPages).toBe(3);
    expect(asked.mock.calls[0]?.[0].instructions).toContain('Say du.');
  });

  test('a run that was interrupted is continued', async () => {
    const one = await scene();
    const { id } = await expectOk(
      one.admin.post(one.at, { source: { space: one.space, language: 'en' }, language: 'de' }),
    );
    engineOf(() => Promise.reject(Object.assign(new Error('away'), { code: '57P01' })));
    await expect(runTranslations(service)).rejects.toThrow('away');
    expect(await expectOk(one.admin.get(`${one.at}/${id}`))).toMatchObject({
      status: 'running',
      progress: 0,
    });
    engineOf(pseudoEngine.translate);
    await runTranslations(service);
    expect(await expectOk(one.admin.get(`${one.at}/${id}`))).toMatchObject({ status: 'completed' });
    const { database, services } = service.runtime;
    await runTranslation(jobContext(database, services), { translation: id, run: 1 });
    expect((await expectOk(one.admin.get(`${one.at}/${id}`))).stats.runs).toBe(1);
  });

  test('a run fails if its user may no longer read the source, or the space of the result is deleted', async () => {
    const one = await scene();
    const writer = await service.build.member(one.organization, 'create');
    const { id } = await expectOk(
      service.as(writer.token).post(one.at, { source: { space: one.space, language: 'en' }, language: 'de' }),
    );
    await expectOk(one.admin.patch(`/spaces/${one.space}`, { defaultLevel: null }));
    await runTranslations(service);
    expect((await expectOk(one.admin.get(`${one.at}/${id}`))).error).toMatch(/may no longer read the source/);
    expect((await service.as(writer.token).get(`${one.at}/${id}`)).status).toBe(404);
    const { db } = service.runtime.database;
    const setAccount = (disabledAt: Date | null) =>
      db.updateTable('user').set({ disabled_at: disabledAt }).where('id', '=', writer.id).execute();
    await expectOk(one.admin.patch(`/spaces/${one.space}`, { defaultLevel: 'edit' }));
    await expectOk(service.as(writer.token).post(`${one.at}/${id}/run`));
    await setAccount(new Date());
    await runTranslations(service);
    expect((await expectOk(one.admin.get(`${one.at}/${id}`))).error).toMatch(/may no longer read the source/);
    await setAccount(null);
    await expectOk(service.as(writer.token).post(`${one.at}/${id}/run`));
    const requireSso = (sso: boolean) =>
      db.updateTable('organization').set({ sso }).where('id', '=', one.organization).execute();
    await requireSso(true);
    await runTranslations(service);
    await requireSso(false);
    expect((await expectOk(one.admin.get(`${one.at}/${id}`))).error).toMatch(/may no longer read the source/);
    const done = await runAgain(one, { id });
    await expectOk(one.admin.delete(`/spaces/${done.result.space}`));
    expect((await runAgain(one, { id })).error).toBe('The space of the result is deleted.');
  });
});

test('whoever may not view both spaces does not find the translation; whoever may not edit both cannot run it', async () => {
  const one = await scene();
  const done = await translated(one);
  const reader = service.as((await service.build.member(one.organization, 'read')).token);
  const editor = service.as((await service.build.member(one.organization, 'edit')).token);
  const path = `${one.at}/${done.id}`;
  expect(await expectOk(reader.get(path))).toMatchObject({ permissions: { view: true, edit: false } });
  expect((await reader.post(`${path}/run`)).status).toBe(403);
  expect((await editor.post(`${path}/run`)).status).toBe(204);
  expect((await editor.post(one.at, { source: done.source, language: 'fr' })).status).toBe(403);
  await expectOk(one.admin.patch(`/spaces/${done.result.space}`, { defaultLevel: 'read' }));
  expect((await editor.post(`${path}/run`)).status).toBe(403);
  expect((await editor.delete(path)).status).toBe(403);
  await expectOk(one.admin.patch(`/spaces/${one.space}`, { defaultLevel: null }));
  expect((await editor.get(path)).status).toBe(404);
  expect((await expectOk(editor.get(one.at))).count).toBe(0);
  expect((await editor.delete(path)).status).toBe(204);
  expect((await one.admin.delete(path)).status).toBe(205);
  expect((await expectOk(one.admin.get(`/spaces/${done.result.space}`))).id).toBe(done.result.space);
  await runTranslations(service);
});
