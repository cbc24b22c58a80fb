import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { runTranslations } from '../helpers/translations.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

interface TranslationEvent {
  type: string;
  translation?: string;
  space?: string;
  error?: string;
}

async function eventsOf(client: Client, organization: string, translation: string) {
  const { items } = await expectOk(client.get(`/orgs/${organization}/events?limit=1000`));
  return (items as TranslationEvent[]).filter((event) => event.translation === translation).reverse();
}

test('events about a translation are for those who may view its source, and report the end of a cancelled run', async () => {
  const { id: organization, admin: person } = await service.build.organization();
  const admin = service.as(person.token);
  const [hidden, open] = [
    await service.build.space(organization, { defaultLevel: null }),
    await service.build.space(organization),
  ];
  const granted = await service.build.member(organization, 'read');
  await service.build.grant(organization, { user: granted.id, space: hidden.id, role: 'read' });
  const reader = service.as((await service.build.member(organization, 'read')).token);
  const at = `/orgs/${organization}/translations`;
  const translate = async (space: string): Promise<string> =>
    (await expectOk(admin.post(at, { source: { space, language: 'en' }, language: 'de' }))).id;

  const [ofHidden, ofOpen] = [await translate(hidden.id), await translate(open.id)];
  await expectOk(admin.post(`${at}/${ofHidden}/cancel`));
  await runTranslations(service);
  const instructions = { object: 'document', data: { schemaVersion: 1 }, nodes: [] };
  await expectOk(admin.put(`${at}/${ofHidden}`, { instructions }));
  await expectOk(admin.delete(`${at}/${ofHidden}`));

  const about = { space: hidden.id, translation: ofHidden };
  const wanted = [
    { type: 'translation.created', ...about },
    { type: 'translation.completed', ...about, error: 'The run was cancelled.' },
    { type: 'translation.updated', ...about },
    { type: 'translation.deleted', ...about },
  ];
  for (const client of [admin, service.as(granted.token)])
    expect(await eventsOf(client, organization, ofHidden)).toMatchObject(wanted);
  expect(await eventsOf(reader, organization, ofHidden)).toEqual([]);
  expect(await eventsOf(reader, organization, ofOpen)).toMatchObject([
    { type: 'translation.created', space: open.id },
    { type: 'translation.completed', space: open.id },
  ]);
  // They are events of the space.
  const { items } = await expectOk(admin.get(`/orgs/${organization}/events?space=${open.id}`));
  expect(items.map(({ type }: TranslationEvent) => type)).toContain('translation.completed');
});
