import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { removeUnusedTranslations } from '../../routers/translations/memory.operation.ts';
import { pseudoEngine } from '../../server/language/translation-engines.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { runTranslations } from '../helpers/translations.ts';
import { engineOf, pageOf, shouting, translated, translationScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterEach(() => {
  service.runtime.services.translationEngine = pseudoEngine;
});
afterAll(() => service.close());

test('translated texts are kept for a year after a run last used them', async () => {
  const one = await translationScene(service);
  const translate = engineOf(service, shouting);
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
  const one = await translationScene(service);
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
  const one = await translationScene(service);
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
  const other = await translationScene(service);
  const foreign = { source: { space: other.space, language: 'en' }, language: 'de' };
  expect((await one.admin.post(one.at, foreign)).status).toBe(404);
  expect((await expectOk(one.admin.get(one.at))).count).toBe(0);
});

test('whoever may not view both spaces does not find the translation; whoever may not edit both cannot run it', async () => {
  const one = await translationScene(service);
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
