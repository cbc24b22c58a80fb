import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TrackedEnvelope, tracked } from '@trpc/server';
import fastify from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { recordEvent } from '../../routers/events/record.operation.ts';
import { createClient, type Outputs } from '../../server/client/index.ts';
import { streamSender } from '../../server/http/event-streams.ts';
import { openSessionFor } from '../auth/browser.ts';
import { open, type Scene, setScene } from '../change-requests/scene.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type Message, openStream, type StreamReader } from './reader.ts';

let service: TestService;
let port: number;
const readers: StreamReader[] = [];
beforeAll(async () => {
  service = await startTestService();
  await service.app.listen({ port: 0, host: '127.0.0.1' });
  port = (service.app.server.address() as AddressInfo).port;
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(() => service.close());

/** Streams the events of an organization over REST. */
async function stream(
  { organization, admin }: Pick<Scene, 'organization' | 'admin'>,
  { token = admin.token, query = '', headers = {} as Record<string, string> } = {},
): Promise<StreamReader> {
  const reader = await openStream(port, `/v1/orgs/${organization}/events?${query}`, {
    authorization: `Bearer ${token}`,
    ...headers,
  });
  readers.push(reader);
  return reader;
}

const eventsOf = (messages: Message[]) => messages.map(({ data }) => JSON.parse(data));
const rename = ({ me, space }: Scene, title: string) => me.patch(`/spaces/${space}`, { title });

/** Wakes all streams, as happens every few seconds. */
const check = () => service.runtime.services.liveEvents as unknown as { wake(): void };

describe('a stream over REST', () => {
  it('a stream over REST sends each event as it happens, with its id, in the form that the list has', async () => {
    const scene = await setScene(service);
    const reader = await stream(scene);
    expect(reader.status).toBe(200);
    expect(reader.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    });
    await rename(scene, 'One');
    await rename(scene, 'Two');
    const messages = await reader.until(2);
    const { body } = await scene.me.get(`/orgs/${scene.organization}/events?limit=2`);
    expect(eventsOf(messages)).toEqual(body.items.reverse());
    expect(messages.map(({ id }) => id)).toEqual(body.items.map(({ id }: { id: string }) => id));
  });

  it('a stream over REST is resumed after any event, without missing or repeating one', async () => {
    const scene = await setScene(service);
    const reader = await stream(scene);
    const writing = (async () => {
      for (let i = 0; i < 30; i++) await rename(scene, `Title ${i}`);
    })();
    const ids: (string | undefined)[] = [];
    let last = (await reader.until(1))[0]?.id as string;
    ids.push(last);
    reader.close();
    while (ids.length < 30) {
      const next = await stream(scene, { headers: { 'last-event-id': last } });
      const got = await next.until(1);
      ids.push(...got.map(({ id }) => id));
      last = ids.at(-1) as string;
      next.close();
    }
    await writing;
    const { body } = await scene.me.get(`/orgs/${scene.organization}/events?limit=30&type=space.updated`);
    expect(ids).toEqual(body.items.map(({ id }: { id: string }) => id).reverse());
  });

  it('a stream over REST catches up with more events than it reads in one batch', async () => {
    const scene = await setScene(service);
    const { body } = await scene.me.get(`/orgs/${scene.organization}/events?limit=1`);
    await service.runtime.database.transaction(async (em) => {
      for (let i = 0; i < 950; i++) recordEvent(em, { type: 'space.updated', space: scene.space });
    });
    const other = await stream(scene);
    const reader = await stream(scene, { query: `lastEventId=${body.items[0].id}` });
    await rename(scene, 'Last');
    const messages = await reader.until(951);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(951);
    expect(await other.until(1)).toHaveLength(1);
    expect(messages.at(-1)).toEqual(other.messages[0]);
  });

  it('a stream over REST refuses ids that it cannot resume after', async () => {
    const scene = await setScene(service);
    const other = await setScene(service);
    const foreign = (await other.me.get(`/orgs/${other.organization}/events`)).body.items[0].id;
    const unknown = foreign.replace(/.$/, (last: string) => (last === 'a' ? 'b' : 'a'));
    for (const id of [foreign, unknown, 'nonsense', '12', encodeURIComponent("' or 1=1")]) {
      const reader = await stream(scene, { query: `lastEventId=${id}` });
      expect(reader.status, id).toBe(400);
    }
  });

  it('a stream over REST is denied to the same callers as the list', async () => {
    const scene = await setScene(service);
    const outsider = await setScene(service);
    expect((await stream(scene, { token: 'colophon_none' })).status).toBe(401);
    expect((await stream(scene, { token: outsider.admin.token })).status).toBe(404);
    expect((await stream(scene, { query: `space=${outsider.space}` })).status).toBe(404);
    const { id } = await open(outsider);
    expect((await stream(scene, { query: `changeRequest=${id}` })).status).toBe(404);
  });

  it('a stream over REST about a space or change request has only its events', async () => {
    const scene = await setScene(service);
    const { at, id } = await open(scene);
    const elsewhere = (await scene.me.post(`/orgs/${scene.organization}/spaces`, { title: 'Other' })).body.id;
    const ofSpace = await stream(scene, { query: `space=${scene.space}` });
    const ofRequest = await stream(scene, { query: `changeRequest=${id}` });
    await scene.me.patch(`/spaces/${elsewhere}`, { title: 'Else' });
    await rename(scene, 'This');
    await scene.me.patch(at, { subject: 'Subject' });
    const types = (messages: Message[]) => eventsOf(messages).map(({ type }) => type);
    expect(types(await ofRequest.until(1))).toEqual(['change_request.updated']);
    expect(types(await ofSpace.until(2))).toEqual(['space.updated', 'change_request.updated']);
  });

  it('a stream over REST has only events that the reader may view when they are sent', async () => {
    const scene = await setScene(service);
    const guest = await service.build.member(scene.organization, null);
    const reader = await stream(scene, { token: guest.token });
    const watching = await stream(scene);
    await rename(scene, 'Hidden');
    await watching.until(1);
    await scene.me.post(`${scene.path}/permissions`, { role: 'read', users: [guest.id] });
    await rename(scene, 'Shown');
    const [message] = await reader.until(1);
    // Between them is the event of the granted permission, which only admins see.
    expect(message?.id).toBe((await watching.until(3))[2]?.id);
  });
});

it('a subscription of the typed client gets typed events, and resumes when its connection is lost', async () => {
  const scene = await setScene(service);
  const client = createClient({ url: `http://127.0.0.1:${port}`, token: scene.admin.token });
  const got: Outputs['events']['list']['items'] = [];
  const { organization: organizationId } = scene;
  let look = () => {};
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      look = () => void (got.length >= count && resolve());
      look();
    });
  let connected = () => {};
  const connection = new Promise<void>((resolve) => {
    connected = resolve;
  });
  const subscription = client.events.subscribe.subscribe(
    { organizationId },
    {
      onStarted: () => connected(),
      onData: ({ id, data }) => {
        expect(data.id).toBe(id);
        if (data.type === 'change_request.created') expect(data.changeRequest).toBeTypeOf('string');
        got.push(data);
        look();
      },
    },
  );
  await connection;
  await rename(scene, 'One');
  await until(1);
  service.app.server.closeAllConnections();
  await rename(scene, 'Two');
  await open(scene);
  await until(3);
  subscription.unsubscribe();
  const { items } = await client.events.list.query({ organizationId, limit: 3 });
  expect(got).toEqual(items.reverse());
});

it('a subscription of the typed client gets the error if it cannot start', async () => {
  const scene = await setScene(service);
  const client = createClient({ url: `http://127.0.0.1:${port}`, token: scene.admin.token });
  const failure = (input: { organizationId: string; lastEventId?: string }) =>
    new Promise<string | undefined>((resolve) => {
      client.events.subscribe.subscribe(input, { onError: ({ data }) => resolve(data?.code) });
    });
  expect(await failure({ organizationId: 'nothing' })).toBe('NOT_FOUND');
  expect(await failure({ organizationId: scene.organization, lastEventId: 'nonsense' })).toBe('BAD_REQUEST');
});

it('a stream ends when its token is revoked, even if nothing happens', async () => {
  const scene = await setScene(service);
  const token = (await scene.me.post('/user/tokens', { name: 'Short' })).body;
  const reader = await stream(scene, { token: token.token });
  const other = await stream(scene);
  await scene.me.delete(`/user/tokens/${token.id}`);
  check().wake();
  const messages = await reader.ended();
  expect(messages).toHaveLength(1);
  expect(messages[0]?.event).toBe('error');
  expect(JSON.parse(messages[0]?.data ?? '').error.code).toBe(401);
  await rename(scene, 'On');
  await other.until(1);
});

it('a stream ends when its session is ended, even if nothing happens', async () => {
  const scene = await setScene(service);
  const { cookie, id } = await openSessionFor(service, scene.admin.id);
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  const path = `/v1/orgs/${scene.organization}/events`;
  const reader = await openStream(port, path, headers);
  readers.push(reader);
  expect(reader.status).toBe(200);
  expect((await scene.me.delete(`/user/sessions/${id}`)).status).toBe(205);
  check().wake();
  const messages = await reader.ended();
  expect(messages.map(({ event }) => event)).toEqual(['error']);
  expect(JSON.parse(messages[0]?.data ?? '').error.code).toBe(401);
  expect((await openStream(port, path, headers)).status).toBe(401);
});

it('a stream ends when the member is removed, or may no longer view the space', async () => {
  const scene = await setScene(service);
  const { organization, space, me } = scene;
  const removed = await service.build.member(organization, 'read');
  const demoted = await service.build.member(organization, 'read');
  const ofRemoved = await stream(scene, { token: removed.token });
  const ofDemoted = await stream(scene, { token: demoted.token, query: `space=${space}` });
  await me.delete(`/orgs/${organization}/members/${removed.id}`);
  expect((await ofRemoved.ended()).at(-1)?.event).toBe('error');
  await me.patch(`/spaces/${space}`, { defaultLevel: null });
  const messages = await ofDemoted.ended();
  expect(messages).toHaveLength(1);
  expect(JSON.parse(messages[0]?.data ?? '').error.code).toBe(404);
});

it('a stream ends when the member is disabled, before the next event', async () => {
  const scene = await setScene(service);
  const person = await service.build.member(scene.organization, 'read');
  const reader = await stream(scene, { token: person.token });
  await service.runtime.database.db
    .updateTable('member')
    .set({ disabled: true })
    .where('user_id', '=', person.id)
    .execute();
  await rename(scene, 'Unseen');
  const messages = await reader.ended();
  expect(messages.map(({ event }) => event)).toEqual(['error']);
});

it('a stream that is not read ends, uses a limited amount of memory, and can be resumed', async () => {
  const scene = await setScene(service);
  const { liveEvents } = service.runtime.services;
  const { db } = service.runtime.database;
  const token = await db.selectFrom('api_token').select('id').where('user_id', '=', scene.admin.id).execute();
  const { body } = await scene.me.get(`/orgs/${scene.organization}/events?limit=1`);
  const counter = await db
    .selectFrom('event_counter')
    .select('last')
    .where('organization_id', '=', scene.organization)
    .executeTakeFirstOrThrow();
  expect(body.count).toBe(Number(counter.last));
  const events = liveEvents.subscribe({
    organization: scene.organization,
    user: scene.admin.id,
    credential: token[0]?.id as string,
    after: Number(counter.last),
  });
  const record = (count: number) =>
    service.runtime.database.transaction(async (em) => {
      for (let i = 0; i < count; i++) recordEvent(em, { type: 'space.updated', space: scene.space });
    });
  const watching = await stream(scene);
  await record(1500);
  await watching.until(1500);
  const read = (async () => {
    for await (const _ of events) throw new Error('nothing waits any more');
  })();
  await expect(read).rejects.toThrow('resume the stream');
});

it('a stream ends when its client stops reading, without buffering what it would have been sent', async () => {
  const { socket, state, close } = await endless(100);
  socket.pause();
  while (!state.isClosed) await sleep(20);
  // Only what the system buffers for a connection.
  expect(state.sent).toBeLessThan(1000);
  await close();
});

it('a stream does not end while a slow client reads something between pings', async () => {
  const interval = 1000;
  const { socket, state, close } = await endless(interval);
  socket.on('data', () => {
    socket.pause();
    setTimeout(() => socket.resume(), 20);
  });
  await sleep(4 * interval);
  expect(state.isClosed).toBe(false);
  await close();
});

it('a stream ends without an error when the service stops', async () => {
  const own = await startTestService();
  await own.app.listen({ port: 0, host: '127.0.0.1' });
  const scene = await setScene(own);
  const reader = await openStream(
    (own.app.server.address() as AddressInfo).port,
    `/v1/orgs/${scene.organization}/events`,
    { authorization: `Bearer ${scene.admin.token}` },
  );
  await rename(scene, 'Last');
  await reader.until(1);
  await own.close();
  expect(await reader.ended()).toHaveLength(1);
});

/** A client of a server with an endless stream, which sends pings at an interval in milliseconds. */
async function endless(interval: number) {
  const app = fastify();
  const sendStream = streamSender(app, interval);
  const state = { sent: 0, isClosed: false };
  const events: AsyncIterable<TrackedEnvelope<object>> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false, value: tracked(`${++state.sent}`, { text: 'x'.repeat(100_000) }) }),
      return: async () => {
        state.isClosed = true;
        return { done: true, value: undefined };
      },
    }),
  };
  app.get('/', (request, reply) =>
    sendStream(request, reply, events, {
      opening: ': open\n\n',
      ping: ': ping\n\n',
      dataOf: JSON.stringify,
      failure: String,
      closing: '',
    }),
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: a\r\naccept: text/event-stream\r\n\r\n');
  const close = async () => {
    socket.destroy();
    await app.close();
  };
  return { socket, state, close };
}

it('a user may have a limited number of streams with all tokens together; streams that have ended do not count', async () => {
  const scene = await setScene(service);
  const { body: other } = await scene.me.post('/user/tokens', { name: 'Other' });
  const opened = await Promise.all(Array.from({ length: 100 }, () => stream(scene)));
  expect(opened.map(({ status }) => status)).toEqual(opened.map(() => 200));
  expect((await stream(scene)).status).toBe(429);
  expect((await stream(scene, { token: other.token })).status).toBe(429);
  opened[0]?.close();
  let { status } = await stream(scene);
  while (status !== 200) {
    await sleep(20);
    ({ status } = await stream(scene));
  }
});
