import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../schema/ids.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { emptyTable } from '../helpers/table-documents.ts';
import { comment, PLACES, personAs, reply, setDiscussion } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const documentOf = (text: string) => ({
  object: 'document',
  data: { schemaVersion: 1 },
  nodes: [
    {
      object: 'block',
      type: 'paragraph',
      isVoid: false,
      nodes: [{ object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] }],
    },
  ],
});

describe.each(PLACES)('comments on a %s', (place) => {
  test('a member posts, reads, edits and deletes a comment', async () => {
    const { me, at, path, space, request, admin, page } = await setDiscussion(service, place);
    const { revision } = (await me.get(at)).body;
    const posted = await comment(me, at, { page, body: { markdown: 'Not **yet**.' } });
    const { id } = posted;
    expect(posted).toEqual({
      object: 'comment',
      id,
      postedBy: expect.objectContaining({ object: 'user', id: admin.id }),
      postedAt: expect.any(String),
      body: { markdown: 'Not **yet**.' },
      status: 'open',
      reactions: [],
      replies: 0,
      repliers: [],
      target: {
        space,
        revision,
        page: { id: page },
        ...(place === 'change request' && { changeRequest: request.id }),
      },
      urls: { location: `http://docs.test/v1${at}/comments/${id}` },
      permissions: { view: true, edit: true, reply: true, delete: true },
    });
    expect((await me.get(`${at}/comments/${id}`)).body).toEqual(posted);
    expect((await me.get(`${at}/comments`)).body).toEqual({ count: 1, items: [posted] });

    const edited = await me.put(`${at}/comments/${id}`, { body: { document: documentOf('Now.') } });
    expect(edited.body).toEqual({ ...posted, body: { markdown: 'Now.\n' }, editedAt: expect.any(String) });
    const { body: asDocument } = await me.get(`${at}/comments/${id}?format=document`);
    expect(asDocument.body.document.nodes).toMatchObject(documentOf('Now.').nodes);
    const { body: listed } = await me.get(`${at}/comments?format=document`);
    expect(listed.items).toEqual([asDocument]);

    // Comments on the space are not on the change request, and vice versa.
    const other = place === 'space' ? request.at : path;
    expect((await me.get(`${other}/comments/${id}`)).status).toBe(404);
    expect((await me.get(`${other}/comments`)).body).toEqual({ count: 0, items: [] });

    expect((await me.delete(`${at}/comments/${id}`)).status).toBe(205);
    expect((await me.delete(`${at}/comments/${id}`)).status).toBe(204);
    expect((await me.get(`${at}/comments/${id}`)).status).toBe(404);
    expect((await me.put(`${at}/comments/${id}`, {})).status).toBe(404);
  });

  test('an empty body is a comment without text', async () => {
    const { me, at } = await setDiscussion(service, place);
    const { id, body } = await comment(me, at, { body: {} });
    expect(body).toEqual({ markdown: '' });
    await me.put(`${at}/comments/${id}`, { body: { markdown: 'Text.' } });
    expect((await me.put(`${at}/comments/${id}`, { body: {} })).body.body).toEqual({ markdown: '' });
  });

  test('a comment shows the number of its replies, who replied, and when they last did', async () => {
    const discussion = await setDiscussion(service, place);
    const { me, at, admin } = discussion;
    const other = await personAs(service, discussion, 'comment');
    const { id } = await comment(me, at);
    const first = await reply(me, at, id);
    await reply(other.client, at, id);
    const last = await reply(me, at, id, 'Three.');
    expect(last).toEqual({
      object: 'comment-reply',
      id: last.id,
      postedBy: expect.objectContaining({ id: admin.id }),
      postedAt: expect.any(String),
      body: { markdown: 'Three.' },
      reactions: [],
      urls: { location: `http://docs.test/v1${at}/comments/${id}/replies/${last.id}` },
      permissions: { view: true, edit: true, reply: true, delete: true },
    });
    const { body } = await me.get(`${at}/comments/${id}`);
    expect(body.replies).toBe(3);
    expect(body.repliers).toMatchObject([
      { user: { id: admin.id }, count: 2, updatedAt: last.postedAt },
      { user: { id: other.id }, count: 1 },
    ]);

    const replies = `${at}/comments/${id}/replies`;
    const { body: newest } = await me.get(`${replies}?limit=2`);
    expect(newest).toMatchObject({ count: 3, items: [last, { body: { markdown: 'Yes.' } }] });
    expect((await me.get(`${replies}?limit=2&page=${newest.next.page}`)).body.items).toEqual([first]);
    const edited = await me.put(`${replies}/${first.id}`, {
      body: { markdown: 'No.' },
      addedReactions: ['🎉'],
    });
    expect(edited.body).toMatchObject({
      body: { markdown: 'No.' },
      reactions: [{ emoji: '1f389', count: 1 }],
    });
    expect((await me.get(`${replies}/${first.id}`)).body).toEqual(edited.body);
    expect((await me.delete(`${replies}/${first.id}`)).status).toBe(205);
    expect((await me.delete(`${replies}/${first.id}`)).status).toBe(204);
    expect((await me.get(`${at}/comments/${id}`)).body.replies).toBe(2);
    // Replies are not listed as comments, and are deleted with their comment.
    expect((await me.get(`${at}/comments`)).body.count).toBe(1);
    await me.delete(`${at}/comments/${id}`);
    expect((await me.get(`${replies}/${last.id}`)).status).toBe(404);
    expect((await me.get(replies)).status).toBe(404);
  });

  test('a reply has no replies of its own', async () => {
    const { me, at } = await setDiscussion(service, place);
    const { id } = await comment(me, at);
    const answer = await reply(me, at, id);
    const other = await comment(me, at);
    for (const path of [`${answer.id}/replies`, `${newId()}/replies`])
      expect((await me.post(`${at}/comments/${path}`, { body: {} })).status).toBe(404);
    for (const path of [answer.id, `${other.id}/replies/${answer.id}`]) {
      expect((await me.get(`${at}/comments/${path}`)).status).toBe(404);
      expect((await me.put(`${at}/comments/${path}`, { body: {} })).status).toBe(404);
      expect((await me.delete(`${at}/comments/${path}`)).status).toBe(204);
    }
    expect((await me.get(`${at}/comments/${id}/replies`)).body.count).toBe(1);
  });

  test('reactions are counted by emoji, in any notation, and a user adds or removes each once', async () => {
    const discussion = await setDiscussion(service, place);
    const { me, at, admin } = discussion;
    const other = await personAs(service, discussion, 'comment');
    const { id } = await comment(me, at);
    const path = `${at}/comments/${id}`;
    await me.put(path, { addedReactions: ['🎉', '1F389', '👍'] });
    await me.put(path, { addedReactions: ['1f389'] });
    const { body } = await other.client.put(path, { addedReactions: ['🎉', '👨‍💻'] });
    expect(body.editedAt).toBeUndefined();
    const counts = (reactions: { emoji: string; users: { user: { id: string } }[] }[]) =>
      Object.fromEntries(reactions.map(({ emoji, users }) => [emoji, users.map(({ user }) => user.id)]));
    expect(counts(body.reactions)).toEqual({
      '1f389': [admin.id, other.id],
      '1f44d': [admin.id],
      '1f468-200d-1f4bb': [other.id],
    });
    expect(body.reactions[0]).toMatchObject({ count: 2, users: [{ reactedAt: expect.any(String) }, {}] });
    // Users remove only their own reactions.
    const removed = { removedReactions: ['1f44d', '1f389', '👎'], addedReactions: ['❤'] };
    expect(counts((await other.client.put(path, removed)).body.reactions)).toEqual({
      '1f389': [admin.id],
      '1f44d': [admin.id],
      '1f468-200d-1f4bb': [other.id],
      '2764-fe0f': [other.id],
    });
    const many = Array.from({ length: 50 }, (_, index) => String.fromCodePoint(0x1f600 + index));
    expect((await me.put(path, { addedReactions: many.slice(0, 46) })).status).toBe(200);
    expect((await me.put(path, { addedReactions: many })).status).toBe(409);
    expect((await me.get(path)).body.reactions).toHaveLength(50);
  });

  test('a resolved comment says by whom and when; resolving or reopening it again changes nothing', async () => {
    const discussion = await setDiscussion(service, place);
    const { me, at, admin } = discussion;
    const other = await personAs(service, discussion, 'review');
    const { id } = await comment(me, at);
    const path = `${at}/comments/${id}`;
    const { body: resolved } = await me.put(path, { resolved: true });
    expect(resolved).toMatchObject({ status: 'resolved', resolvedBy: { id: admin.id } });
    expect(Date.parse(resolved.resolvedAt)).toBeGreaterThanOrEqual(Date.parse(resolved.postedAt));
    const again = await other.client.put(path, { resolved: true });
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ resolvedAt: resolved.resolvedAt, resolvedBy: { id: admin.id } });
    const { body: reopened } = await other.client.put(path, { resolved: false });
    expect(reopened.status).toBe('open');
    expect(reopened).not.toHaveProperty('resolvedAt');
    expect(reopened).not.toHaveProperty('resolvedBy');
    expect((await me.put(path, { resolved: false })).status).toBe(200);
  });

  test('the list of comments is filtered and ordered', async () => {
    const discussion = await setDiscussion(service, place);
    const { me, at, page, admin } = discussion;
    const other = await personAs(service, discussion, 'comment');
    const a = await comment(me, at, { page });
    const b = await comment(other.client, at);
    const c = await comment(me, at);
    await me.put(`${at}/comments/${b.id}`, { resolved: true });
    await reply(other.client, at, a.id);
    const ids = async (query: string) => {
      const { status, body } = await me.get(`${at}/comments${query}`);
      expect(status, JSON.stringify(body)).toBe(200);
      expect(body.count).toBe(body.items.length);
      return body.items.map(({ id }: { id: string }) => id);
    };
    expect(await ids('')).toEqual([c.id, b.id, a.id]);
    expect(await ids('?order=asc')).toEqual([a.id, b.id, c.id]);
    expect(await ids('?status=open')).toEqual([c.id, a.id]);
    expect(await ids('?status=resolved')).toEqual([b.id]);
    expect(await ids(`?targetPage=${page}`)).toEqual([a.id]);
    expect(await ids(`?targetPage=${newId()}`)).toEqual([]);
    expect(await ids(`?authors=${other.id}`)).toEqual([b.id]);
    expect(await ids(`?authors=${other.id}&authors=${admin.id}&order=asc`)).toEqual([a.id, b.id, c.id]);
    expect(await ids(`?authors=${newId()}`)).toEqual([]);
    const walked: string[] = [];
    let next = '';
    do {
      const { body } = await me.get(`${at}/comments?order=asc&limit=1${next}`);
      walked.push(...body.items.map(({ id }: { id: string }) => id));
      next = body.next ? `&page=${body.next.page}` : '';
    } while (next);
    expect(walked).toEqual([a.id, b.id, c.id]);
    for (const query of ['?status=closed', '?order=up', '?format=html'])
      expect((await me.get(`${at}/comments${query}`)).status).toBe(400);
  });

  test('a page of comments has a maximum size, whatever the limit', async () => {
    const { me, at } = await setDiscussion(service, place);
    const { id } = await comment(me, at);
    await reply(me, at, id);
    await service.runtime.database.transaction((em) =>
      em.execute(
        `
        insert into comment
          (id, space_id, change_request_id, parent_id, status, posted_by_id, document, markdown, revision_id, created_at)
        select lpad(n::text, 20, '0'), space_id, change_request_id, parent_id, status, posted_by_id, document, markdown,
          revision_id, created_at
        from (select *, row_number() over () as row from comment where id = ? or parent_id = ?) as posted,
          lateral generate_series(row * 1000, row * 1000 + 199) as n`,
        [id, id],
      ),
    );
    for (const path of [`${at}/comments`, `${at}/comments/${id}/replies`]) {
      for (const [format, most] of [
        ['markdown', 200],
        ['document', 50],
      ] as const) {
        const { body } = await me.get(`${path}?limit=1000&format=${format}`);
        expect(body.items.length).toBe(most);
        expect(body.count).toBe(201);
        const next = await me.get(`${path}?limit=1000&format=${format}&page=${body.next.page}`);
        expect(next.body.items.length).toBe(Math.min(201 - most, most));
      }
      expect((await me.get(`${path}?limit=2`)).body.items.length).toBe(2);
    }
    await service.runtime.database.transaction((em) =>
      em.execute("delete from comment where id like '000000%'"),
    );
  });

  test('commenters are the members who posted a comment or a reply, each once', async () => {
    const discussion = await setDiscussion(service, place);
    const { me, at, path, request, organization, admin } = discussion;
    const [first, second, third] = [
      await personAs(service, discussion, 'comment'),
      await personAs(service, discussion, 'comment'),
      await personAs(service, discussion, 'comment'),
    ];
    const { id } = await comment(first.client, at);
    await comment(first.client, at);
    await reply(first.client, at, id);
    await reply(second.client, at, id);
    await comment(third.client, place === 'space' ? request.at : path);
    const commenters = async (query = '') => (await me.get(`${at}/commenters${query}`)).body;
    const all = await commenters();
    expect(all.count).toBe(2);
    expect(all.items.map((member: { id: string }) => member.id).sort()).toEqual([first.id, second.id].sort());
    expect(all.items[0]).toMatchObject({ object: 'member', role: 'comment', user: { object: 'user' } });
    const page = await commenters('?limit=1');
    const rest = await commenters(`?limit=1&page=${page.next.page}`);
    expect([...page.items, ...rest.items]).toEqual(all.items);
    await me.delete(`/orgs/${organization}/members/${first.id}`);
    expect((await commenters()).items).toMatchObject([{ id: second.id }]);
    expect(admin.id).not.toBe(second.id);
  });

  test('a comment with invalid input is refused', async () => {
    const { me, at } = await setDiscussion(service, place);
    const { id } = await comment(me, at);
    const markdown = 'Text.';
    const document = documentOf('Text.');
    for (const body of [
      undefined,
      null,
      'text',
      { markdown, document },
      { markdown: 1 },
      { text: 'Text.' },
      { document: { object: 'document' } },
      { markdown: 'x'.repeat(100_000) },
      { markdown: 'x'.repeat(10_001) },
      { markdown: 'x\n\n'.repeat(3333) },
      { document: documentOf('x'.repeat(100_000)) },
    ]) {
      const told = JSON.stringify(body)?.slice(0, 80);
      for (const path of ['comments', `comments/${id}/replies`]) {
        const answer = await me.post(`${at}/${path}`, { body });
        expect(answer.status, told).toBe(400);
        expect(answer.body.error.details[0].path, told).toBe('body');
      }
      if (body !== undefined) expect((await me.put(`${at}/comments/${id}`, { body })).status, told).toBe(400);
    }
    const long = await me.post(`${at}/comments`, { body: { markdown: '😀'.repeat(10_001) } });
    expect(long.body.error.message).toContain('10000 characters');
    expect((await me.post(`${at}/comments`, { body: { markdown: '😀'.repeat(10_000) } })).status).toBe(200);
    const wide = await me.post(`${at}/comments`, { body: { document: emptyTable(100, 101) } });
    expect(wide.body.error.details).toEqual([
      { path: 'body', message: 'must have at most 10000 cells without a value' },
    ]);
    for (const change of [
      { resolved: 'false' },
      { resolved: null },
      { addedReactions: ['x'] },
      { addedReactions: ['🎉🎉'] },
      { addedReactions: [''] },
      { removedReactions: ['ffffff'] },
      { addedReactions: '🎉' },
      { addedReactions: Array(51).fill('🎉') },
      { addedReactions: ['🎉'], removedReactions: ['1f389'] },
    ])
      expect((await me.put(`${at}/comments/${id}`, change)).status, JSON.stringify(change)).toBe(400);
    expect((await me.get(`${at}/comments/${id}`)).body).toMatchObject({ status: 'open', reactions: [] });
  });
});
