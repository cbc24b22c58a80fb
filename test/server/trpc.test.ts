import {
  createTRPCClient,
  httpBatchLink,
  httpBatchStreamLink,
  httpLink,
  TRPCClientError,
} from '@trpc/client';
import superjson from 'superjson';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { transformer } from '../../routers/base/transformer.ts';
import { SerializedDocument } from '../../routers/engine/document/serialized-document.ts';
import type { AppRouter } from '../../routers/index.ts';
import { type EditedSpace, editedSpace } from '../content/edited-space.ts';
import type { Person } from '../helpers/builders.ts';
import { sendRaw } from '../helpers/raw-http.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let base: string;
let person: Person;
let organizationId: string;
beforeAll(async () => {
  service = await startTestService();
  base = `${await service.app.listen({ port: 0, host: '127.0.0.1' })}/trpc`;
  const organization = await service.build.organization({ title: 'Acme' });
  organizationId = organization.id;
  person = organization.admin;
});
afterAll(() => service.close());

type Fetch = (...request: Parameters<typeof fetch>) => Promise<Response>;

const client = (
  token: string | undefined,
  options: { batch?: boolean; stream?: boolean; fetch?: Fetch } = {},
) => {
  const link = options.stream ? httpBatchStreamLink : options.batch ? httpBatchLink : httpLink;
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  return createTRPCClient<AppRouter>({
    links: [link({ url: base, transformer: superjson, headers, fetch: options.fetch as never })],
  });
};

/** The error of a call that must fail. */
async function failure(call: Promise<unknown>): Promise<TRPCClientError<AppRouter>> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TRPCClientError);
  return error as TRPCClientError<AppRouter>;
}

test('a tRPC client needs no token for public procedures', async () => {
  const { id } = await service.build.site(organizationId);
  const { id: space } = await service.build.space(organizationId);
  await service.build.siteSpace(id, { path: 'docs', space, isDefault: true });
  const url = `http://docs.test/sites/${id}`;
  for (const options of [{}, { batch: true }, { stream: true }])
    expect(await client(undefined, options).urls.resolvePublished.mutate({ url })).toMatchObject({ space });
});

test('a tRPC client reads and writes the same objects as the REST facade', async () => {
  const me = client(person.token);
  const created = await me.organizations.create.mutate({ title: 'Typed' });
  const read = await me.organizations.get.query({ organizationId: created.id });
  expect(read).toEqual(created);
  expect((await service.as(person.token).get(`/orgs/${created.id}`)).body).toEqual(
    JSON.parse(JSON.stringify(read)),
  );
});

test('a tRPC client can batch ten calls in a request, which looks up its token once', async () => {
  let requests = 0;
  const counted: Fetch = (...request) => {
    requests++;
    return fetch(...request);
  };
  const me = client(person.token, { batch: true, fetch: counted });
  const { db } = service.runtime.database;
  const statements: string[] = [];
  const { executeQuery } = Object.getPrototypeOf(db.getExecutor());
  const spy = function (this: unknown, query: { sql: string }, ...rest: unknown[]) {
    statements.push(query.sql);
    return executeQuery.call(this, query, ...rest);
  };
  Object.getPrototypeOf(db.getExecutor()).executeQuery = spy;
  try {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => me.organizations.get.query({ organizationId })),
    );
    expect(answers.map((organization) => organization.title)).toEqual(Array(10).fill('Acme'));
  } finally {
    Object.getPrototypeOf(db.getExecutor()).executeQuery = executeQuery;
  }
  expect(requests).toBe(1);
  expect(statements.filter((sql) => sql.startsWith('select') && sql.includes('"api_token"'))).toHaveLength(1);
});

test('a tRPC client gets an error for each failed call of a batch', async () => {
  const me = client(person.token, { batch: true });
  const [good, bad] = await Promise.allSettled([
    me.users.me.query(),
    me.organizations.get.query({ organizationId: 'nothing' }),
  ]);
  expect(good.status).toBe('fulfilled');
  expect(bad.status === 'rejected' && bad.reason.data.code).toBe('NOT_FOUND');
});

test.for(['trpc-accept', 'accept'] as const)(
  'a tRPC client may have the responses of a batch streamed, with the header %s',
  async (streamHeader) => {
    const headers = { authorization: `Bearer ${person.token}` };
    const link = httpBatchStreamLink({ url: base, transformer: superjson, headers, streamHeader });
    const me = createTRPCClient<AppRouter>({ links: [link] });
    const [good, bad] = await Promise.allSettled([
      me.organizations.get.query({ organizationId }),
      me.organizations.get.query({ organizationId: 'nothing' }),
    ]);
    expect(good.status === 'fulfilled' && good.value.title).toBe('Acme');
    expect(bad.status === 'rejected' && bad.reason.data.code).toBe('NOT_FOUND');
  },
);

test.for([
  ['trpc-accept: application/jsonl', true],
  ['accept: application/jsonl', true],
  ['accept: text/html,  application/jsonl', true],
  ['accept: application/jsonl;q=1', false],
  ['accept: application/jsonlines', false],
  ['trpc-accept: application/json\r\naccept: application/jsonl', false],
] as const)('a response to "%s" says once how long it is', async ([header, isStreamed]) => {
  const { port } = new URL(base);
  const target = `/trpc/users.me,users.me?batch=1&input=${encodeURIComponent('{"0":{"json":{}}}')}`;
  const request = `GET ${target} HTTP/1.1\r\nhost: localhost\r\n${header}\r\nconnection: close\r\n`;
  const { status, headers } = await sendRaw(
    Number(port),
    `${request}authorization: Bearer ${person.token}\r\n\r\n`,
  );
  expect(status).toBe(200);
  expect(headers['transfer-encoding']).toBe(isStreamed ? 'chunked' : undefined);
  expect(headers['content-length'] === undefined).toBe(isStreamed);
});

test('a tRPC client gets the code, status, message and details of an error, and no internals', async () => {
  const error = await failure(client(person.token).organizations.create.mutate({ title: '' }));
  expect(error.data).toEqual({
    code: 'BAD_REQUEST',
    httpStatus: 400,
    path: 'organizations.create',
    details: [{ path: 'title', message: 'must have at least 2 characters' }],
  });
  const empty = await failure(client(person.token).organizations.create.mutate(undefined as never));
  expect(empty.message).toBe('The request is not valid: its content is required.');
  expect((await failure(client(undefined).users.me.query())).data?.code).toBe('UNAUTHORIZED');
  const reader = await service.build.user({ scope: 'read' });
  const forbidden = await failure(client(reader.token).organizations.create.mutate({ title: 'Acme' }));
  expect(forbidden.data?.code).toBe('FORBIDDEN');
});

test('a tRPC client can read errors of the HTTP layer', async () => {
  const large = await failure(
    client(person.token).organizations.create.mutate({ title: 'a'.repeat(2 * 1024 * 1024) }),
  );
  expect(large.data).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', httpStatus: 413 });
  expect(large.message).toBe('The request body is too large.');
});

describe('large calls', () => {
  const paragraphs = (count: number) => ({
    object: 'document' as const,
    data: { schemaVersion: 1 },
    nodes: Array.from({ length: count }, (_, index) => ({
      object: 'block' as const,
      type: 'paragraph',
      isVoid: false,
      data: {},
      nodes: [
        { object: 'text' as const, leaves: [{ object: 'leaf' as const, text: `Word ${index}`, marks: [] }] },
      ],
    })),
  });
  let space: EditedSpace;
  beforeAll(async () => {
    space = await editedSpace(service, { Page: 'Text.\n' });
  });
  const insert = (options: { batch?: boolean; stream?: boolean }, document: unknown) =>
    client(space.token, options).edit.space.mutate({
      spaceId: space.id,
      compat: false,
      changes: [{ operation: 'insert_page', title: 'Large', document } as never],
    });

  test.for([{ batch: false }, { batch: true }])(
    'an edit of more than 1 MB is accepted along with others, with a batch: $batch',
    async (options) => {
      const tasks: string[] = [];
      service.runtime.pool?.observe({ ended: (task, outcome) => tasks.push(`${task} ${outcome}`) });
      const file = { name: 'a.bin', base64: Buffer.alloc(2_000_000).toString('base64') };
      await client(space.token, options).edit.space.mutate({
        spaceId: space.id,
        changes: [{ operation: 'insert_files', files: [file] }],
      });
      const document = paragraphs(7000);
      const made = await insert(options, { document });
      expect(tasks.slice(0, 3)).toEqual(['body done', 'body done', 'edit done']);
      const page = made.changes?.pages[0]?.id as string;
      const answer = await space.editor.get(`/spaces/${space.id}/content/page/${page}?format=document`);
      expect(answer.body.document.nodes).toHaveLength(7000);
    },
  );

  test('the response to a large call cannot be streamed', async () => {
    const error = await failure(insert({ stream: true }, { document: paragraphs(7000) }));
    expect(error.message).toBe('A call this large cannot have a streamed response.');
    expect(error.data).toMatchObject({ code: 'BAD_REQUEST', httpStatus: 400 });
  });

  test('the annotations of superjson are applied to a document before it is validated', async () => {
    const document = paragraphs(4000);
    Object.assign(document.nodes[0] as object, { key: undefined });
    const made = await insert({}, { document });
    expect(made.changes?.pages).toHaveLength(1);
  });

  test('validation errors are the same as in small calls', async () => {
    const bad = paragraphs(7000);
    (bad.nodes[6999] as { type: unknown }).type = 5;
    for (const options of [{ batch: false }, { batch: true }]) {
      const error = await failure(insert(options, { document: bad }));
      expect(error.data).toMatchObject({ code: 'BAD_REQUEST', httpStatus: 400 });
      expect(error.data?.details?.[0]?.path).toMatch(/^changes\.0\.document\.document\.nodes\.6999/);
    }
  });

  test('a stored large document is sent without being parsed', async () => {
    const made = await insert({}, { document: paragraphs(7000) });
    const pageId = made.changes?.pages[0]?.id as string;
    const { toJSON } = SerializedDocument.prototype;
    let parsed = 0;
    SerializedDocument.prototype.toJSON = function () {
      parsed++;
      return toJSON.call(this);
    };
    onTestFinished(() => {
      SerializedDocument.prototype.toJSON = toJSON;
    });
    for (const batch of [false, true]) {
      const page = await client(space.token, { batch }).content.page.query({
        spaceId: space.id,
        pageId,
        format: 'document',
      });
      expect(page).toMatchObject({ id: pageId, document: { nodes: { length: 7000 } } });
    }
    expect(parsed).toBe(0);
  });
});

describe('hostile input over tRPC', () => {
  const send = async (
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: string,
    type = 'application/json',
  ) => {
    const answer = await fetch(`${base}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${person.token}`,
        ...(body !== undefined && { 'content-type': type }),
      },
      body,
    });
    const parsed = (await answer.json()) as { error: { json: { message: string; data: { code: string } } } };
    return { status: answer.status, body: parsed };
  };
  const input = (json: string, meta = '{}') => `{"json":${json},"meta":${meta}}`;
  const nested = '['.repeat(100_000) + ']'.repeat(100_000);

  test.for([
    ['unfinished JSON', '{"json":'],
    ['JSON that is not superjson', '{"title":"Acme"}'],
    ['a number', '5'],
    ['null', 'null'],
    ['a NUL', input('{"title":"A\\u0000cme"}')],
    ['half a surrogate pair', input('{"title":"A\\ud800cme"}')],
    ['deep nesting', input(`{"title":"Acme","x":${nested}}`)],
    ['deep nesting in annotations', input('{"title":"Acme"}', `{"values":${nested}}`)],
    [
      'annotations that reach for prototypes',
      input('{"title":"Acme"}', '{"values":{"__proto__.x":["Date"]}}'),
    ],
    ['a value that JSON does not have', input('{"title":"Acme","x":"5"}', '{"values":{"x":["bigint"]}}')],
  ] as const)('%s is rejected with 400', async ([, body]) => {
    const answer = await send('POST', 'organizations.create', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.json.data.code).toBe('BAD_REQUEST');
    expect(answer.body.error.json.message).not.toMatch(/payload|JSON at|Unexpected/);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  test('references within an input are not followed', async () => {
    const meta = '{"referentialEqualities":{"x":["x.y"]}}';
    const answer = await send('POST', 'organizations.create', input('{"title":"Acme","x":{"y":null}}', meta));
    expect(answer.status).toBe(200);
  });

  test.for([
    ['text/plain', input('{"title":"Acme"}')],
    ['multipart/form-data; boundary=a', '--a\r\n\r\n--a--'],
  ] as const)('a body of type %s is rejected with 415', async ([type, body]) => {
    expect((await send('POST', 'organizations.create', body, type)).status).toBe(415);
  });

  test.for(['nope', '__proto__', 'constructor', 'organizations', 'organizations.__proto__', 'a/b', 'a,b'])(
    'an unknown procedure gets 404: %s',
    async (path) => {
      expect((await send('GET', path)).status).toBe(404);
    },
  );

  test('mutations by GET and calls by DELETE are rejected', async () => {
    expect((await send('GET', `organizations.create?input=${input('{}')}`)).status).toBe(405);
    expect((await send('DELETE', 'organizations.create')).status).toBe(405);
  });
});

test('an input without annotations is passed on unchanged, and not copied', () => {
  const json = { document: { nodes: [{ a: 1 }] } };
  expect(transformer.input.deserialize({ json })).toBe(json);
  expect(transformer.input.deserialize({ json, meta: { referentialEqualities: {} } })).toBe(json);
});
