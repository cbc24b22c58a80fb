import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { edit } from '../change-requests/scene.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { comment, openCounts, PLACES, personAs, reply, setDiscussion } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const both = (count: number) => ({ shown: count, listed: count });

describe.each(PLACES)('the number of open comments on a %s', (place) => {
  test('the number of open comments is updated by every change', async () => {
    const discussion = await setDiscussion(service, place);
    const { me, at, path, request, page, organization } = discussion;
    const counts = () => openCounts({ me, at });
    expect(await counts()).toEqual(both(0));
    const [a, b, c] = [await comment(me, at, { page }), await comment(me, at), await comment(me, at)];
    await reply(me, at, a.id);
    expect(await counts()).toEqual(both(3));
    for (const resolved of [true, true, false, false, true])
      await me.put(`${at}/comments/${a.id}`, { resolved });
    expect(await counts()).toEqual(both(2));
    await me.delete(`${at}/comments/${a.id}`);
    expect(await counts()).toEqual(both(2));
    await me.delete(`${at}/comments/${b.id}`);
    await me.delete(`${at}/comments/${b.id}`);
    expect(await counts()).toEqual(both(1));
    const answer = await reply(me, at, c.id);
    await me.delete(`${at}/comments/${c.id}/replies/${answer.id}`);
    expect(await counts()).toEqual(both(1));
    // The count of the other one does not change.
    expect(await openCounts({ me, at: place === 'space' ? request.at : path })).toEqual(both(0));
    const spaces = (await me.get(`/orgs/${organization}/spaces`)).body.items;
    expect(spaces[0].comments).toBe(place === 'space' ? 1 : 0);
    const requests = (await me.get(`${path}/change-requests?status=all`)).body.items;
    expect(requests[0].comments).toBe(place === 'space' ? 0 : 1);
  });

  test('the number of open comments does not depend on the page that is commented on, nor on the content', async () => {
    const { me, at, page } = await setDiscussion(service, place);
    const { id } = await comment(me, at, { page });
    const before = (await me.get(at)).body;
    await edit(me, at, { operation: 'delete_page', page });
    expect(await openCounts({ me, at })).toEqual(both(1));
    // Comments are not changes of the content, either.
    const after = (await me.get(at)).body;
    await me.put(`${at}/comments/${id}`, { resolved: true });
    expect((await me.get(at)).body).toEqual({ ...after, comments: 0 });
    expect(before.comments).toBe(1);
  });

  test('the number of open comments is right after concurrent changes', async () => {
    const discussion = await setDiscussion(service, place);
    const { me, at } = discussion;
    const { client } = await personAs(service, discussion, 'admin');
    const posted = await Promise.all(Array.from({ length: 6 }, () => comment(me, at)));
    expect(await openCounts(discussion)).toEqual(both(6));
    const [one, two, three] = posted.map(({ id }) => `${at}/comments/${id}`) as [string, string, string];
    const answers = await Promise.all([
      ...[me, client, me].map((caller) => caller.put(one, { resolved: true })),
      ...[me, client, me].map((caller) => caller.delete(two)),
      client.put(three, { resolved: true }),
      me.delete(three),
      client.post(`${three}/replies`, { body: {} }),
      client.put(three, { addedReactions: ['🎉'] }),
      client.put(three, { body: {} }),
      comment(client, at),
      me.patch(at, place === 'space' ? { title: 'Renamed' } : { subject: 'Renamed' }),
    ]);
    const statuses = answers.flatMap(({ status }) => (typeof status === 'number' ? [status] : []));
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    expect(statuses.slice(3, 6).sort()).toEqual([204, 204, 205]);
    expect(await openCounts(discussion)).toEqual(both(4));
  });
});

test('comments stay with their change request after the merge, and can still be discussed', async () => {
  const discussion = await setDiscussion(service, 'change request');
  const { me, at, path, page } = discussion;
  const changed = { operation: 'update_page', page, document: { markdown: 'Other text.' } };
  await edit(me, at, changed);
  const { id } = await comment(me, at, { page });
  await comment(me, at);
  const merged = await me.post(`${at}/merge`);
  expect(merged.body.result).toBe('merge');
  expect(await openCounts({ me, at })).toEqual(both(2));
  expect(await openCounts({ me, at: path })).toEqual(both(0));
  await reply(me, at, id);
  const answer = await me.put(`${at}/comments/${id}`, { resolved: true });
  expect(answer.body).toMatchObject({ status: 'resolved', replies: 1 });
  expect(await openCounts({ me, at })).toEqual(both(1));
});

test('a copy of a space has no comments, and a restored space has its own', async () => {
  const { me, at } = await setDiscussion(service, 'space');
  const { id } = await comment(me, at);
  const copy = (await me.post(`${at}/duplicate`)).body;
  expect(copy.comments).toBe(0);
  expect(await openCounts({ me, at: `/spaces/${copy.id}` })).toEqual(both(0));
  expect((await me.get(`/spaces/${copy.id}/comments/${id}`)).status).toBe(404);
  await me.delete(at);
  expect((await me.get(`${at}/comments`)).status).toBe(404);
  expect((await me.post(`${at}/comments`, { body: {} })).status).toBe(404);
  await me.post(`${at}/restore`);
  expect(await openCounts({ me, at })).toEqual(both(1));
});

test('the comment of a review is listed and counted on its change request', async () => {
  const { me, at } = await setDiscussion(service, 'change request');
  const { body: review } = await me.post(`${at}/reviews`, {
    status: 'changes-requested',
    comment: { markdown: 'Not *yet*.' },
  });
  expect(review.comment).toMatchObject({
    body: { markdown: 'Not *yet*.' },
    status: 'open',
    target: { review: review.id, revision: review.revision },
    permissions: { view: true, edit: true, reply: true, delete: true },
  });
  expect(await openCounts({ me, at })).toEqual(both(1));
  const one = `${at}/comments/${review.comment.id}`;
  expect((await me.get(one)).body).toEqual(review.comment);
  await reply(me, at, review.comment.id);
  await me.put(one, { resolved: true, addedReactions: ['🎉'] });
  const read = (await me.get(`${at}/reviews/${review.id}`)).body;
  expect(read.comment).toMatchObject({ status: 'resolved', replies: 1, reactions: [{ emoji: '1f389' }] });
  expect((await me.get(`${at}/reviews`)).body.items).toEqual([read]);
  await me.delete(one);
  expect((await me.get(`${at}/reviews/${review.id}`)).body).not.toHaveProperty('comment');
  await me.post(`${at}/reviews`, { status: 'approved', comment: {} });
  expect(await openCounts({ me, at })).toEqual(both(0));
});
