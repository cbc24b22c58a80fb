import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../schema/ids.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { open, rewrite, type Scene, setScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

async function reviewerOf({ organization }: Scene) {
  const person = await service.build.member(organization, 'review');
  return { ...person, client: service.as(person.token) };
}

describe('reviews', () => {
  test('a review is about the current content', async () => {
    const scene = await setScene(service);
    const { at, id } = await open(scene);
    const { revision } = (await scene.me.get(at)).body;
    const reviewer = await reviewerOf(scene);
    const { status, body } = await reviewer.client.post(`${at}/reviews`, {
      status: 'changes-requested',
      comment: { markdown: 'Not **yet**.' },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      object: 'change-request-review',
      revision,
      reviewer: { id: reviewer.id },
      status: 'changes-requested',
      outdated: false,
      comment: { object: 'comment', body: { markdown: 'Not **yet**.' }, target: { changeRequest: id } },
      urls: { location: `http://docs.test/v1${at}/reviews/${body.id}` },
    });
    expect(body.requestedBy).toBeUndefined();
    expect((await reviewer.client.get(`${at}/reviews/${body.id}`)).body).toEqual(body);
    expect((await reviewer.client.get(`${at}/reviews`)).body).toEqual({ count: 1, items: [body] });
    const asDocument = await scene.me.get(`${at}/reviews/${body.id}?format=document`);
    expect(asDocument.body.comment.body.document.object).toBe('document');
  });

  test('reviews are listed with their comments, at most 50 at once as documents', async () => {
    const scene = await setScene(service);
    const { at } = await open(scene);
    const comment = { markdown: 'Not yet.' };
    for (let count = 0; count < 51; count++)
      await scene.me.post(`${at}/reviews`, { status: 'approved', comment });
    const listed = async (query: string) => {
      const { count, items, next } = (await scene.me.get(`${at}/reviews?limit=1000${query}`)).body;
      return [count, items.length, next !== undefined];
    };
    expect(await listed('')).toEqual([51, 51, false]);
    expect(await listed('&format=document')).toEqual([51, 50, true]);
  });

  test('a review becomes outdated by the next review of the same reviewer, and by an edit', async () => {
    const scene = await setScene(service);
    const { me } = scene;
    const { at } = await open(scene);
    const reviewer = await reviewerOf(scene);
    const first = (await reviewer.client.post(`${at}/reviews`, { status: 'changes-requested' })).body;
    const second = (await reviewer.client.post(`${at}/reviews`, { status: 'approved' })).body;
    const other = (await me.post(`${at}/reviews`, { status: 'approved' })).body;
    const list = async (query: string) => {
      const { body } = await me.get(`${at}/reviews${query}`);
      expect(body.count).toBe(body.items.length);
      return body.items.map(({ id }: { id: string }) => id);
    };
    expect(await list('')).toEqual([other.id, second.id, first.id]);
    expect(await list('?outdated=true')).toEqual([first.id]);
    expect(await list('?outdated=false')).toEqual([other.id, second.id]);
    await rewrite(scene, at, { title: 'Renamed' });
    expect(await list('?outdated=false')).toEqual([]);
  });

  test('reviews reject invalid input, and callers who may not review', async () => {
    const scene = await setScene(service);
    const { at } = await open(scene);
    const reviews = `${at}/reviews`;
    for (const body of [{}, { status: 'fine' }, { status: 'approved', comment: 'text' }])
      expect((await scene.me.post(reviews, body)).status, JSON.stringify(body)).toBe(400);
    const body = { status: 'approved' };
    const editor = service.as((await service.build.member(scene.organization, 'edit')).token);
    const stranger = service.as((await service.build.user()).token);
    expect((await editor.post(reviews, body)).status).toBe(403);
    expect((await editor.get(reviews)).status).toBe(200);
    expect((await stranger.post(reviews, body)).status).toBe(404);
    expect((await stranger.get(reviews)).status).toBe(404);
    expect((await service.as().post(reviews, body)).status).toBe(401);
    expect((await service.as().get(reviews)).status).toBe(401);
    expect((await scene.me.get(`${reviews}/${newId()}`)).status).toBe(404);
    await scene.me.patch(at, { status: 'archived' });
    expect((await scene.me.post(reviews, body)).status).toBe(409);
  });
});

test('requested reviewers are listed until they review, and the review names the requester', async () => {
  const scene = await setScene(service);
  const { me } = scene;
  const { at } = await open(scene);
  const { revision } = (await me.get(at)).body;
  const reviewer = await reviewerOf(scene);
  const requests = `${at}/requested-reviewers`;
  const asked = await me.post(requests, {
    users: [reviewer.id],
    subject: 'Please look',
    description: { markdown: 'At this.' },
  });
  expect(asked.status).toBe(200);
  expect(asked.body).toMatchObject({
    users: [
      {
        object: 'change-request-requested-reviewer',
        kind: 'user',
        user: { id: reviewer.id },
        requestedBy: { id: scene.admin.id },
        revision,
      },
    ],
  });
  expect((await me.get(at)).body).toMatchObject({
    subject: 'Please look',
    description: { object: 'document' },
  });
  expect((await me.get(requests)).body).toEqual({ count: 1, items: asked.body.users });
  const review = await reviewer.client.post(`${at}/reviews`, { status: 'approved' });
  expect(review.body.requestedBy.id).toBe(scene.admin.id);
  expect((await me.get(requests)).body).toEqual({ count: 0, items: [] });
  await me.post(requests, { users: [reviewer.id] });
  expect((await me.get(`${at}/reviews/${review.body.id}`)).body.outdated).toBe(true);
});

test('review requests can be cancelled', async () => {
  const scene = await setScene(service);
  const { at } = await open(scene);
  const reviewer = await reviewerOf(scene);
  await scene.me.post(`${at}/requested-reviewers`, { users: [reviewer.id] });
  const commenter = service.as((await service.build.member(scene.organization, 'comment')).token);
  const one = `${at}/requested-reviewers/${reviewer.id}`;
  expect((await commenter.delete(one)).status).toBe(403);
  expect((await service.as().delete(one)).status).toBe(401);
  expect((await service.as((await service.build.user()).token).delete(one)).status).toBe(204);
  expect((await scene.me.delete(one)).status).toBe(205);
  expect((await scene.me.delete(one)).status).toBe(204);
});

test('requested reviewers must be able to view the space', async () => {
  const scene = await setScene(service);
  const { at } = await open(scene);
  const requests = `${at}/requested-reviewers`;
  const guest = await service.build.member(scene.organization, null);
  const stranger = await service.build.user();
  for (const user of [guest.id, stranger.id, 'x'])
    expect((await scene.me.post(requests, { users: [user] })).status).toBe(404);
  await service.build.grant(scene.organization, { user: guest.id, space: scene.space, role: 'read' });
  expect((await scene.me.post(requests, { users: [guest.id, guest.id] })).body.users).toHaveLength(1);
  expect((await scene.me.post(requests, { users: [] })).status).toBe(400);
  expect((await scene.me.post(requests, {})).status).toBe(400);
  expect((await service.as(guest.token).post(requests, { users: [guest.id] })).status).toBe(403);
  expect((await service.as(stranger.token).get(requests)).status).toBe(404);
  await scene.me.patch(at, { status: 'archived' });
  expect((await scene.me.post(requests, { users: [guest.id] })).status).toBe(409);
});
