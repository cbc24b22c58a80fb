import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../helpers/service.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { buildExample, type Example, fill } from './example.ts';
import { type Operation, operations, published, publishedOperation, titled } from './operations.ts';

/** What a client written against the published document relies on: real answers have the shapes it promises. */
const known = operations.filter(publishedOperation);

let service: TestService;
let example: Example;
beforeAll(async () => {
  service = await startTestService();
  example = await buildExample(service);
});
afterAll(() => service.close());

/** Objects may have more than the document knows, so that one alternative alone need not match. */
const open = JSON.parse(
  JSON.stringify(published, (key, value) =>
    key === 'additionalProperties' && value === false ? undefined : value,
  ).replaceAll('"oneOf":', '"anyOf":'),
) as typeof published;

const FORMATS = Object.fromEntries(
  ['date-time', 'uri', 'email', 'emoji', 'uuid', 'double', 'float', 'int32'].map((name) => [
    name,
    () => true,
  ]),
);

interface ResponseValidator {
  validateResponse(
    status: number,
    body: unknown,
  ): { errors: { path: string; message: string }[] } | undefined;
}
// A common-js module, whose default export the loaders wrap differently.
const require = createRequire(import.meta.url);
const { default: Validator } = require('openapi-response-validator') as {
  default: new (options: object) => ResponseValidator;
};

/** The components that a part of the document refers to; the validator would compile all of them each time. */
function reachedBy(part: object, found: typeof open.components = {}): typeof open.components {
  for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
    const component = open.components[kind]?.[name];
    if (!component || found[kind]?.[name]) continue;
    found[kind] = { ...found[kind], [name]: component };
    reachedBy(component, found);
  }
  return found;
}

/** Every place where an answer is not what the published document says. */
function differences({ method, path }: Operation, { status, body }: Answer): string[] {
  const responses = open.paths[path]?.[method.toLowerCase()]?.responses ?? {};
  const check = new Validator({ responses, components: reachedBy(responses), customFormats: FORMATS });
  const { errors = [] } = check.validateResponse(status, body ?? null) ?? {};
  return [...new Set(errors.map((error) => `${error.path}: ${error.message}`))];
}

test('an answer that lacks something, or has something else, is told apart', async () => {
  const operation = known.find(({ path, method }) => method === 'GET' && path === '/user') as Operation;
  const { body } = await example.admin.get('/user');
  expect(differences(operation, { status: 200, headers: {}, body })).toEqual([]);
  for (const other of [
    { ...body, id: undefined },
    { ...body, displayName: 1 },
    { ...body, object: 'team' },
  ]) {
    const answer = { status: 200, headers: {}, body: JSON.parse(JSON.stringify(other)) };
    expect(differences(operation, answer)).not.toEqual([]);
  }
});

describe('what is read has the published shape', () => {
  test.for(titled(known.filter(({ method }) => method === 'GET')))('%s', async ([, operation]) => {
    const { url, missing } = fill(operation.path, example.ids);
    expect(missing, 'the example has none of these yet: add one').toEqual([]);
    const answer = await example.admin.get(url);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(differences(operation, answer)).toEqual([]);
  });
});

/** Bodies for what is created and changed, in the order in which they are sent. */
const CHANGES: [operationId: string, body: object | undefined][] = [
  ['updateOrganizationById', { title: 'Renamed' }],
  ['updateOrganizationMemberLastSeenAt', undefined],
  ['updateMemberInOrganizationById', { role: 'create' }],
  ['createOrganizationTeam', { title: 'Others' }],
  ['updateTeamInOrganizationById', { title: 'Authors' }],
  ['createCollection', { title: 'More' }],
  ['updateCollectionById', { title: 'Renamed', description: 'All of them' }],
  ['createSpace', { title: 'Another' }],
  ['updateSpaceById', { title: 'Renamed', defaultLevel: 'read' }],
  ['duplicateSpace', undefined],
  ['moveSpace', { parent: null }],
  ['createChangeRequest', { subject: 'Next' }],
  ['updateChangeRequestById', { subject: 'Renamed', status: 'open' }],
  ['updateChangeRequest', undefined],
  ['mergeChangeRequest', undefined],
  ['deleteSpaceById', undefined],
  ['restoreSpace', undefined],
  ['deleteCollectionById', undefined],
];

describe('what is created and changed has the published shape', () => {
  test.for(CHANGES)('%s', async ([operationId, body]) => {
    const operation = known.find(({ meta }) => meta.openapi?.operationId === operationId);
    if (!operation) throw new Error('there is no such operation');
    const method = operation.method.toLowerCase() as 'post' | 'put' | 'patch' | 'delete';
    const answer = await example.admin[method](fill(operation.path, example.ids).url, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    expect(differences(operation, answer)).toEqual([]);
  });
});
