import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { EngineFailure, type TranslationEngine } from '../../routers/base/language-ports.ts';
import { runTranslation } from '../../routers/translations/run.operation.ts';
import { jobContext } from '../../server/context.ts';
import { pseudoEngine } from '../../server/language/translation-engines.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { runTranslationRefresh, runTranslations } from '../helpers/translations.ts';
import {
  edit,
  engineOf,
  pageOf,
  runAgain,
  shouting,
  translated,
  translationScene,
  updated,
} from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterEach(() => {
  service.runtime.services.translationEngine = pseudoEngine;
});
afterAll(() => service.close());

describe('another run', () => {
  test('another run translates new content, moves and deletes what was moved and deleted, and leaves the rest unchanged', async () => {
    const one = await translationScene(service);
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
    const asked = engineOf(service, shouting, { id: pseudoEngine.id });
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
    const one = await translationScene(service);
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
    const one = await translationScene(service);
    const first = await translated(one);
    await edit(one.admin, one.space, updated(one.pages.Support, 'Call us.'));
    engineOf(service, async (request) => {
      for (let asked = 0; asked < 3; asked++) await expectOk(one.admin.post(`${one.at}/${first.id}/run`));
      expect(await expectOk(one.admin.get(`${one.at}/${first.id}`))).toMatchObject({ status: 'running' });
      return shouting(request);
    });
    const during = await runAgain(one, first);
    expect(during).toMatchObject({ status: 'pending', stats: { runs: 2 } });
    await runTranslations(service);
    const after = await expectOk(one.admin.get(`${one.at}/${first.id}`));
    expect(after).toMatchObject({ status: 'completed', stats: { runs: 3, latestPages: 0 } });
  });

  test('another run follows a change of the source, if the translation is automatic', async () => {
    const one = await translationScene(service);
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
    const one = await translationScene(service);
    const first = await translated(one);
    await edit(one.admin, one.space, updated(one.pages.Support, 'Call us.'));
    engineOf(service, async (request) => {
      await expectOk(one.admin.post(`${one.at}/${first.id}/cancel`));
      return shouting(request);
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
    const one = await translationScene(service);
    let calls = 0;
    engineOf(
      service,
      async (request) => {
        if (++calls === 3) throw new EngineFailure('The engine is not there.');
        return shouting(request);
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
    const again = engineOf(service, pseudoEngine.translate);
    expect(await runAgain(one, failed)).not.toHaveProperty('error');
    expect(again.mock.calls.flatMap(([{ texts }]) => texts)).not.toContain('Start');
  });

  test('a run keeps markup that the engine loses, and reports what it could not translate', async () => {
    const one = await translationScene(service);
    const stubborn: TranslationEngine['translate'] = async ({ texts }) =>
      texts.map((text) => (text.includes('card') ? '' : text.replace(/<[^>]*>/g, '').toUpperCase()));
    engineOf(service, stubborn);
    const done = await translated(one);
    expect(done.error).toBe('One text could not be translated, and remain in the language of the source.');
    const start = await pageOf(one.admin, done.result.space, one.pages.Start);
    expect(start.markdown).toContain(
      'CLICK **SAVE** IN THE [SETTINGS](https://example.com/settings), THEN RUN `npm start`.',
    );
    const billing = await pageOf(one.admin, done.result.space, one.pages.Billing);
    expect(billing.markdown).toContain('It can be paid by card.');
    engineOf(service, shouting);
    const second = await runAgain(one, done);
    expect(second).not.toHaveProperty('error');
    expect(second.stats.latestWords).toBe(15);
  });

  test('a run ends with an error if the engine only returns nonsense', async () => {
    const one = await translationScene(service);
    engineOf(service, async ({ texts }) => texts.map(() => '<g1>?'));
    expect(await translated(one)).toMatchObject({
      status: 'completed',
      error: 'The translation engine gave no usable translation of most texts.',
    });
  });

  test('a run uses the glossary, and translates only texts with changed terms again', async () => {
    const one = await translationScene(service);
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
    const asked = engineOf(service, pseudoEngine.translate, { id: pseudoEngine.id });
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
    const one = await translationScene(service);
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
    const asked = engineOf(service, pseudoEngine.translate, { acceptsInstructions: true });
    const first = await translated(one, { instructions: said('Say Sie.') });
    expect(asked.mock.calls[0]?.[0].instructions).toBe('Never mention whales.\n\nSay Sie.');
    asked.mockClear();
    await expectOk(one.admin.put(`${one.at}/${first.id}`, { instructions: said('Say du.') }));
    expect((await runAgain(one, first)).stats.latestPages).toBe(3);
    expect(asked.mock.calls[0]?.[0].instructions).toContain('Say du.');
  });

  test('a run that was interrupted is continued', async () => {
    const one = await translationScene(service);
    const { id } = await expectOk(
      one.admin.post(one.at, { source: { space: one.space, language: 'en' }, language: 'de' }),
    );
    engineOf(service, () => Promise.reject(Object.assign(new Error('away'), { code: '57P01' })));
    await expect(runTranslations(service)).rejects.toThrow('away');
    expect(await expectOk(one.admin.get(`${one.at}/${id}`))).toMatchObject({
      status: 'running',
      progress: 0,
    });
    engineOf(service, pseudoEngine.translate);
    await runTranslations(service);
    expect(await expectOk(one.admin.get(`${one.at}/${id}`))).toMatchObject({ status: 'completed' });
    const { database, services } = service.runtime;
    await runTranslation(jobContext(database, services), { translation: id, run: 1 });
    expect((await expectOk(one.admin.get(`${one.at}/${id}`))).stats.runs).toBe(1);
  });

  test('a run fails if its user loses a permission while it is translating', async () => {
    const one = await translationScene(service);
    const writer = await service.build.member(one.organization, 'create');
    const { id } = await expectOk(
      service.as(writer.token).post(one.at, { source: { space: one.space, language: 'en' }, language: 'de' }),
    );
    engineOf(service, async (request) => {
      await one.admin.patch(`/spaces/${one.space}`, { defaultLevel: null });
      return shouting(request);
    });
    await runTranslations(service);
    service.runtime.services.translationEngine = pseudoEngine;
    expect((await expectOk(one.admin.get(`${one.at}/${id}`))).error).toMatch(/may no longer read the source/);
  });

  test('a run fails if its user may no longer read the source, or the space of the result is deleted', async () => {
    const one = await translationScene(service);
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
