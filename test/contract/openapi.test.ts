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

describe.for(titled(operations))('%s', ([, operation]) => {
  const { meta, method, path, shape, pathParameters } = operation;
  const described = document.paths[path]?.[method.toLowerCase()];

  test('the operation is documented with its actual statuses', () => {
    const success = meta.success === 'removal' ? ['204', '205'] : [String(meta.success ?? 200)];
    const statuses = Object.keys(described?.responses ?? {});
    expect(statuses.filter((status) => status.startsWith('2'))).toEqual(success);
    expect(statuses).toContain('default');
    for (const status of success) {
      const empty = status === '204' || status === '205';
      expect('content' in (described?.responses[status] ?? {})).toBe(!empty);
    }
  });

  test('each input of the operation is documented in exactly one place', () => {
    const parameters = (described?.parameters ?? []).map((parameter) => `${parameter.in} ${parameter.name}`);
    const body = named(described?.requestBody?.content['application/json']?.schema);
    const inBody = body && meta.body !== undefined ? [meta.body] : Object.keys(body?.properties ?? {});
    const given = [...parameters, ...inBody.map((name) => `body ${name}`)];
    const rest = method === 'GET' || method === 'DELETE' ? 'query' : 'body';
    const expected = Object.keys(shape).map(
      (name) => `${pathParameters.includes(name) ? 'path' : rest} ${name}`,
    );
    const resuming = meta.stream === undefined ? [] : ['header Last-Event-ID'];
    expect(given.sort()).toEqual([...expected, ...resuming].sort());
  });

  test('the parameters of a stream are also those of its list', () => {
    if (meta.stream === undefined) return;
    const stream = inputOf(proceduresOf(appRouter)[meta.stream] as AnyProcedure);
    expect(Object.keys(shape)).toEqual(expect.arrayContaining(Object.keys(stream.shape)));
  });

  test('the denials that follow from the required level are documented', () => {
    const isPublic = meta.openapi?.protect === false;
    const statuses = documentedStatuses(operation);
    const { denials = [] } = meta;
    expect(statuses.includes('401')).toBe(!isPublic || denials.includes(401));
    // Any token may be read-only; `levels.test.ts` covers the rest.
    if (operation.procedure._def.type === 'mutation')
      expect(statuses.includes('403')).toBe(!isPublic || denials.includes(403));
    const finds = pathParameters.length > 0 || denials.includes(404);
    expect(statuses.includes('404')).toBe(finds && meta.success !== 'removal');
  });

  test('the operation requires a token unless it is public', () => {
    const callers = [{ bearer: [] }, ...(meta.visitors ? [{ visitor: [] }] : [])];
    expect(described?.security).toEqual(meta.openapi?.protect === false ? [] : callers);
  });

  test('the published client of the contract knows the operation, unless it is listed as an extension', () => {
    const isUnknown = publishedOperation(operation, CONTRACT_CLIENT) === undefined;
    const advice = isUnknown ? 'add it to' : 'remove it from';
    expect(isExtension(operation), `${advice} EXTENSIONS in test/contract/operations.ts`).toBe(isUnknown);
  });

  const successes = (responses: object = {}) =>
    Object.keys(responses).filter((status) => status.startsWith('2'));

  test.skipIf(isExtension(operation))(
    'the success response is one that the published client of the contract knows',
    () => {
      const known = publishedOperation(operation, CONTRACT_CLIENT)?.responses;
      const extra = ONE_SUCCESS.has(meta.openapi?.operationId ?? '') ? ['201'] : [];
      expect([...successes(described?.responses), ...extra].sort()).toEqual(successes(known).sort());
    },
  );

  const clients = CLIENTS.filter((client) => publishedOperation(operation, client));
  test.for(clients.map((client) => [client.version, client] as const))(
    'the operation has no success status that the published client %s does not know',
    ([, client]) => {
      const known = publishedOperation(operation, client)?.responses;
      expect(successes(known)).toEqual(expect.arrayContaining(successes(described?.responses)));
    },
  );

  // The additional parameters of newer clients filter or extend the response; a request without them works the same.
  test.skipIf(isExtension(operation))(
    'the operation accepts the query parameters of the published client of the contract',
    () => {
      const { parameters: known = [] } = publishedOperation(operation, CONTRACT_CLIENT) ?? {};
      const parameters = known.map((parameter) => {
        const name = (parameter as { $ref?: string }).$ref?.split('/').at(-1);
        return (name ? CONTRACT_CLIENT.document.components.parameters?.[name] : parameter) as {
          name: string;
          in: string;
        };
      });
      const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
      expect(Object.keys(shape)).toEqual(expect.arrayContaining(query));
    },
  );
});

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
