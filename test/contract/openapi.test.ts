import { validate } from '@scalar/openapi-parser';
import type { AnyProcedure } from '@trpc/server';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appRouter } from '../../routers/index.ts';
import { inputOf } from '../../server/http/openapi/procedures.ts';
import { type OpenApiDocument, openApiDocument } from '../../server/http/openapi.ts';
import { proceduresOf } from '../../server/trpc/trpc-internals.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import {
  CLIENTS,
  CONTRACT_CLIENT,
  documentedStatuses,
  isExtension,
  type Operation,
  operations,
  publishedOperation,
  TAGS,
  titled,
} from './operations.ts';

const document = openApiDocument('https://docs.example') as OpenApiDocument & {
  servers: { url: string }[];
  tags: { name: string }[];
};
const text = JSON.stringify(document);

test('the OpenAPI document is valid OpenAPI 3.1', async () => {
  const { valid, errors, version } = await validate(text);
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(version).toBe('3.1');
});

test('the OpenAPI document has the configured URL, and its tags are in the order of the contract', () => {
  expect(document.servers).toEqual([{ url: 'https://docs.example/v1' }]);
  const tags = document.tags.map(({ name }) => name);
  expect(tags).toEqual(TAGS);
});

test('the OpenAPI document defines each schema once and has no broken references', () => {
  const names = Object.keys(document.components.schemas);
  const references = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name]) => name as string,
  );
  expect(new Set(references)).toEqual(new Set(names));
});

/** The named schema of a request or response body. */
const named = (schema: { $ref?: string } | undefined) =>
  schema?.$ref === undefined
    ? undefined
    : document.components.schemas[schema.$ref.split('/').at(-1) as string];

const everyOperation = Object.values(document.paths).flatMap((methods) => Object.values(methods));

describe('the OpenAPI document describes everything:', () => {
  const missing: string[] = [];
  const collectMissing = (schema: unknown, at: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [key, value] of Object.entries(schema)) {
      if (key === 'properties') {
        for (const [name, member] of Object.entries(value as Record<string, { description?: string }>)) {
          if (!member.description) missing.push(`${at}.${name}`);
          collectMissing(member, `${at}.${name}`);
        }
      } else if (!['default', 'enum', 'const', 'examples'].includes(key)) collectMissing(value, at);
    }
  };

  test('schemas and their members: add `.describe()`, or a description to `.meta({ id })`, where the schema is defined', () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      if (!schema.description) missing.push(name);
      collectMissing(schema, name);
    }
    expect(missing).toEqual([]);
  });

  test('operations and parameters: add `description` to the route, and `.describe()` to the input', () => {
    const undescribed = everyOperation.flatMap(({ operationId, description, parameters = [] }) => [
      ...(description ? [] : [operationId]),
      ...parameters.filter((parameter) => !parameter.description).map(({ name }) => `${operationId} ${name}`),
    ]);
    expect(undescribed).toEqual([]);
  });

  test('tags: add the title to `server/http/openapi/tags.ts`', () => {
    expect(document.tags.filter(({ description }) => !description)).toEqual([]);
  });
});

test('every body of a request or response in the OpenAPI document has a named schema', () => {
  const inline = everyOperation.filter(({ requestBody, responses }) => {
    const contents = Object.values(responses).flatMap((response) =>
      'content' in response ? [response.content] : [],
    );
    return [requestBody?.content, ...contents].some((content) => {
      const schema = content?.['application/json']?.schema;
      return schema !== undefined && named(schema) === undefined;
    });
  });
  expect(inline.map(({ operationId }) => operationId)).toEqual([]);
});

test('the OpenAPI document has a valid example of every body: see `server/http/openapi/examples.ts`', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'document', components: document.components });
  const bodies = everyOperation.flatMap(({ operationId, requestBody }) => {
    const content = requestBody?.content['application/json'];
    return content ? [{ operationId, ...content }] : [];
  });
  const wrong = bodies.filter(
    ({ schema, example }) => !ajv.validate({ $ref: `document${schema.$ref}` }, example),
  );
  expect(wrong.map(({ operationId }) => operationId)).toEqual([]);
});

test('the OpenAPI document describes the stream of a list as a media type of its own', () => {
  const streaming = operations.filter(({ meta }) => meta.stream !== undefined);
  const described = streaming.map(({ method, path }) => document.paths[path]?.[method.toLowerCase()]);
  const content = { 'application/json': expect.anything(), 'text/event-stream': expect.anything() };
  expect(described.map((operation) => operation?.responses[200])).toEqual([
    expect.objectContaining({ content }),
  ]);
});
/** Operations with a single success status, for which the published client has a second one for created objects. */
const ONE_SUCCESS = new Set(['createOrUpdateOpenAPISpecBySlug']);

/** Tests something of each of some operations. Each failure names the operation. */
function testEach(
  title: string,
  some: readonly Operation[],
  check: (
    operation: Operation,
    expectThat: (value: unknown, advice?: string) => ReturnType<typeof expect.soft>,
  ) => void,
): void {
  test(title, () => {
    expect(some).not.toEqual([]);
    for (const operation of some) {
      const name = `${operation.method} ${operation.path}`;
      check(operation, (value, advice) => expect.soft(value, advice ? `${name}: ${advice}` : name));
    }
  });
}

const documented = ({ path, method }: Operation) => document.paths[path]?.[method.toLowerCase()];
const successesIn = (responses: object = {}) =>
  Object.keys(responses).filter((status) => status.startsWith('2'));

testEach('each operation is documented with its actual statuses', operations, (operation, expectThat) => {
  const { responses = {} } = documented(operation) ?? {};
  const { meta } = operation;
  const success = meta.success === 'removal' ? ['204', '205'] : [String(meta.success ?? 200)];
  expectThat(successesIn(responses)).toEqual(success);
  expectThat(Object.keys(responses)).toContain('default');
  for (const status of success) {
    const isEmpty = status === '204' || status === '205';
    expectThat('content' in (responses[status] ?? {})).toBe(!isEmpty);
  }
});

testEach(
  'each input of an operation is documented in exactly one place',
  operations,
  (operation, expectThat) => {
    const { meta, method, shape, pathParameters } = operation;
    const { parameters = [], requestBody } = documented(operation) ?? {};
    const body = named(requestBody?.content['application/json']?.schema);
    const inBody = body && meta.body !== undefined ? [meta.body] : Object.keys(body?.properties ?? {});
    const given = [
      ...parameters.map((parameter) => `${parameter.in} ${parameter.name}`),
      ...inBody.map((name) => `body ${name}`),
    ];
    const rest = method === 'GET' || method === 'DELETE' ? 'query' : 'body';
    const expected = Object.keys(shape).map(
      (name) => `${pathParameters.includes(name) ? 'path' : rest} ${name}`,
    );
    const resuming = meta.stream === undefined ? [] : ['header Last-Event-ID'];
    expectThat(given.sort()).toEqual([...expected, ...resuming].sort());
  },
);

testEach(
  'the parameters of a stream are also those of its list',
  operations.filter(({ meta }) => meta.stream !== undefined),
  ({ meta, shape }, expectThat) => {
    const stream = inputOf(proceduresOf(appRouter)[meta.stream as string] as AnyProcedure);
    expectThat(Object.keys(shape)).toEqual(expect.arrayContaining(Object.keys(stream.shape)));
  },
);

testEach(
  'the denials that follow from the required level are documented',
  operations,
  (operation, expectThat) => {
    const { meta, pathParameters, procedure } = operation;
    const isPublic = meta.openapi?.protect === false;
    const statuses = documentedStatuses(operation);
    const { denials = [] } = meta;
    expectThat(statuses.includes('401')).toBe(!isPublic || denials.includes(401));
    // Any token may be read-only; `levels.test.ts` covers the rest.
    if (procedure._def.type === 'mutation')
      expectThat(statuses.includes('403')).toBe(!isPublic || denials.includes(403));
    const finds = pathParameters.length > 0 || denials.includes(404);
    expectThat(statuses.includes('404')).toBe(finds && meta.success !== 'removal');
  },
);

testEach('each operation requires a token unless it is public', operations, (operation, expectThat) => {
  const { meta } = operation;
  const callers = [{ bearer: [] }, ...(meta.visitors ? [{ visitor: [] }] : [])];
  expectThat(documented(operation)?.security).toEqual(meta.openapi?.protect === false ? [] : callers);
});

testEach(
  'the published client of the contract knows each operation that is not listed as an extension',
  operations,
  (operation, expectThat) => {
    const isUnknown = publishedOperation(operation, CONTRACT_CLIENT) === undefined;
    const advice = `${isUnknown ? 'add it to' : 'remove it from'} EXTENSIONS in test/contract/operations.ts`;
    expectThat(isExtension(operation), advice).toBe(isUnknown);
  },
);

const contractual = operations.filter((operation) => !isExtension(operation));

testEach(
  'each success response is one that the published client of the contract knows',
  contractual,
  (operation, expectThat) => {
    const known = publishedOperation(operation, CONTRACT_CLIENT)?.responses;
    const extra = ONE_SUCCESS.has(operation.meta.openapi?.operationId ?? '') ? ['201'] : [];
    const successes = successesIn(documented(operation)?.responses);
    expectThat([...successes, ...extra].sort()).toEqual(successesIn(known).sort());
  },
);

for (const client of CLIENTS)
  testEach(
    `no operation has a success status that the published client ${client.version} does not know`,
    operations.filter((operation) => publishedOperation(operation, client)),
    (operation, expectThat) => {
      const known = successesIn(publishedOperation(operation, client)?.responses);
      expectThat(known).toEqual(expect.arrayContaining(successesIn(documented(operation)?.responses)));
    },
  );

// The additional parameters of newer clients filter or extend the response; a request without them works the same.
testEach(
  'each operation accepts the query parameters of the published client of the contract',
  contractual,
  (operation, expectThat) => {
    const { parameters: known = [] } = publishedOperation(operation, CONTRACT_CLIENT) ?? {};
    const parameters = known.map((parameter) => {
      const name = (parameter as { $ref?: string }).$ref?.split('/').at(-1);
      return (name ? CONTRACT_CLIENT.document.components.parameters?.[name] : parameter) as {
        name: string;
        in: string;
      };
    });
    const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    expectThat(Object.keys(operation.shape)).toEqual(expect.arrayContaining(query));
  },
);

describe('the OpenAPI document over HTTP', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const byAddress = operations.filter(({ path }) => path.startsWith('/urls/'));
  test.for(titled(byAddress))('%s documents that a URL may not be found', async ([, operation]) => {
    const { admin } = await service.build.organization();
    const url = 'https://nowhere.example/';
    const client = service.as(admin.token);
    const { status } =
      operation.method === 'GET'
        ? await client.get(`${operation.path}?url=${url}`)
        : await client.post(operation.path, { url });
    expect(status).toBe(404);
    expect(documentedStatuses(operation)).toContain('404');
  });

  test('the OpenAPI document is served to everyone over HTTP, and with 304 to clients that have it', async () => {
    const response = await service.app.inject('/openapi.json');
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toMatch('application/json');
    expect(response.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument('http://docs.test'))));
    const etag = String(response.headers.etag);
    const again = await service.app.inject({ url: '/openapi.json', headers: { 'if-none-match': etag } });
    expect(again).toMatchObject({ statusCode: 304, body: '' });
  });
});
