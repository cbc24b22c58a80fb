import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkCondition } from '../../routers/engine/expressions/conditions.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { buildScene, type Scene } from './scene.ts';

let service: TestService;
let scene: Scene;
let schema: string;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  scene = await buildScene(service);
  schema = `${scene.at}/adaptive-schema`;
});

const flag = { type: 'boolean', description: 'Pays for it' };
const object = { type: 'object', additionalProperties: false };
const unsigned = {
  ...object,
  description: 'Unsigned claims of the site visitor.',
  properties: { isBeta: { type: 'boolean', description: '' } },
};
const SCHEMA = { ...object, properties: { isPro: flag, 'is-new': flag, unsigned } };

const put = (jsonSchema: unknown) => scene.admin.put(schema, { jsonSchema });

test('an admin sets the adaptive schema of a site and reads it back', async () => {
  expect((await scene.admin.get(schema)).status).toBe(404);
  const { status, body } = await put(SCHEMA);
  expect(status).toBe(200);
  expect(body).toEqual({ object: 'site-adaptive-schema', jsonSchema: SCHEMA, updatedAt: expect.any(String) });
  expect(await expectOk(scene.admin.get(schema))).toEqual(body);
});

test('the template conditions of a schema are valid with it, and name each of its claims', async () => {
  const templates = `${schema}/template-conditions`;
  expect(await expectOk(scene.admin.get(templates))).toEqual({ items: [] });
  const { jsonSchema } = await expectOk(put(SCHEMA));
  const { items } = await expectOk(scene.admin.get(templates));
  expect(items).toHaveLength(6);
  for (const { condition, description } of items) {
    expect(checkCondition(condition, jsonSchema)).toBeUndefined();
    expect(description).not.toBe('');
  }
  const conditions = items.map(({ condition }: { condition: string }) => condition);
  for (const name of ['visitor.claims.isPro', 'visitor.claims["is-new"]', '!visitor.claims.unsigned.isBeta'])
    expect(conditions).toContain(name);
});

test('a schema may omit the optional keywords of the published schema', async () => {
  const { body } = await put({
    ...object,
    properties: { isPro: { type: 'boolean' }, unsigned: { ...object, properties: {} } },
  });
  expect(body.jsonSchema.properties).toEqual({
    isPro: { type: 'boolean', description: '' },
    unsigned: { ...unsigned, properties: {} },
  });
});

describe('an adaptive schema is refused', () => {
  const property = (value: unknown, name = 'a') => ({ ...object, properties: { [name]: value } });
  const flags = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, flag]));
  test.for([
    ['that is missing', undefined],
    ['that is null', null],
    ['that is a list', []],
    ['of another draft', { ...SCHEMA, $schema: 'https://json-schema.org/draft/2020-12/schema' }],
    ['of another type', { ...SCHEMA, type: 'array' }],
    ['with other properties', { ...SCHEMA, additionalProperties: true }],
    ['that does not say so', { type: 'object', properties: {} }],
    ['with a text', property({ type: 'string', description: '' })],
    ['with an object', property({ ...object, description: '', properties: {} })],
    ['with $ref', property({ $ref: '#' })],
    ['with $ref beside a type', property({ ...flag, $ref: '#' })],
    ['with pattern', property({ ...flag, pattern: '(a+)+$' })],
    ['with patternProperties', { ...SCHEMA, patternProperties: { 'a+': flag } }],
    ['with definitions', { ...SCHEMA, definitions: {} }],
    [
      'with unsigned claims that are texts',
      property({ ...object, properties: { a: { type: 'string' } } }, 'unsigned'),
    ],
    [
      'with unsigned claims below unsigned ones',
      property({ ...object, properties: { unsigned } }, 'unsigned'),
    ],
    ['with other unsigned claims', property({ ...unsigned, additionalProperties: true }, 'unsigned')],
    ['with a claim that is not named by letters', property(flag, 'a b')],
    ['with a claim without a name', property(flag, '')],
    ['with a name of 65 letters', property(flag, 'a'.repeat(65))],
    ['with a claim named constructor', property(flag, 'constructor')],
    ['with a long description', property({ ...flag, description: 'a'.repeat(257) })],
    ['with 51 claims', { ...object, properties: flags(51) }],
    ['with 51 unsigned claims', property({ ...object, properties: flags(51) }, 'unsigned')],
    ['of 300 kB', { ...object, properties: flags(5000) }],
  ] as const)('%s', async ([, jsonSchema]) => {
    const { status, body } = await put(jsonSchema);
    expect(status).toBe(400);
    expect(JSON.stringify(body).length).toBeLessThan(5000);
    expect((await scene.admin.get(schema)).status).toBe(404);
  });

  test.for(['exp', 'iss', 'aud', 'nbf', 'iat', 'jti'])(
    'a schema is refused with the signed claim %s, which never counts',
    async (name) => {
      const { status, body } = await put(property(flag, name));
      expect(status).toBe(400);
      expect(body.error.details).toEqual([
        { path: `jsonSchema.properties.${name}`, message: expect.stringContaining(`claim ${name} `) },
      ]);
      expect((await scene.admin.get(schema)).status).toBe(404);
      const properties = { isPro: flag, unsigned: { ...unsigned, properties: { [name]: flag } } };
      expect((await put({ ...object, properties })).status).toBe(200);
    },
  );

  test('a schema of more than 1 MB is refused', async () => {
    const { status } = await put({ ...SCHEMA, description: 'a'.repeat(1_100_000) });
    expect(status).toBe(413);
  });
});

test('a schema that breaks a condition on the site is refused, with an error that names the condition’s place', async () => {
  const { db } = service.runtime.database;
  const set = (table: 'site_section' | 'site_space', id: string, condition: string | null) =>
    db.updateTable(table).set({ condition }).where('id', '=', id).execute();
  const page = scene.space.pages.Conditional;
  const changes = [{ operation: 'update_page', page, condition: null }];
  await expectOk(scene.admin.post(`${scene.space.at}/content`, { changes }));
  await expectOk(put(SCHEMA));
  await set('site_section', scene.section, 'visitor.claims.isPro');
  await set('site_space', scene.siteSpace, '!visitor.claims.unsigned.isBeta');
  await expectOk(put(SCHEMA));

  const { status, body } = await put({ ...object, properties: {} });
  expect(status).toBe(409);
  expect(body.error.message).toContain('the section "Guides"');
  expect(body.error.message).toContain('the site space "guides"');
  expect(body.error.details).toEqual([
    { path: scene.section, message: expect.stringContaining('isPro') },
    { path: scene.siteSpace, message: expect.stringContaining('unsigned.isBeta') },
  ]);
  expect((await expectOk(scene.admin.get(schema))).jsonSchema).toEqual(SCHEMA);
  await set('site_section', scene.section, null);
  await set('site_space', scene.siteSpace, null);
  expect((await put({ ...object, properties: {} })).status).toBe(200);
});

test('a schema that breaks the condition of a link in a header is refused', async () => {
  const link = { title: 'Beta', to: { kind: 'url', url: 'https://example.com' }, links: [] };
  const header = { preset: 'default', links: [{ ...link, condition: 'visitor.claims.isPro' }] };
  await scene.update({ customization: { header } });
  const { status, body } = await put({ ...object, properties: {} });
  expect(status).toBe(409);
  expect(body.error.message).toContain('the link "Beta"');
  expect((await put(SCHEMA)).status).toBe(200);
});

test('all members read the adaptive schema, and only admins set it', async () => {
  await scene.update({ defaultLevel: 'inherit' });
  await expectOk(put(SCHEMA));
  const reader = service.as((await service.build.member(scene.organization, 'read')).token);
  expect((await reader.get(schema)).status).toBe(200);
  expect((await reader.get(`${schema}/template-conditions`)).status).toBe(200);
  expect((await reader.put(schema, { jsonSchema: SCHEMA })).status).toBe(403);
});
