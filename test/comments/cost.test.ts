import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../schema/ids.ts';
import { statementsOf } from '../bench/queries.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { comment, type Discussion, PLACES, reply, setDiscussion } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** The round trips to the database of a read: the fewest of several, since one may open a connection. */
async function tripsOf({ admin }: Discussion, path: string): Promise<number> {
  const trips: number[] = [];
  for (let i = 0; i < 3; i++) {
    const statements = await statementsOf(service.app, `/v1${path}`, admin.token);
    trips.push(statements.at(-1)?.trip ?? 0);
  }
  return Math.min(...trips);
}

/** Adds users as rows, since so many calls would take too long. */
async function people(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newId);
  const at = new Date();
  const rows = ids.map((id) => ({
    id,
    email: `${id}@example.com`,
    display_name: id,
    created_at: at,
  }));
  await service.runtime.database.db
    .insertInto('user')
    .values(rows as never)
    .execute();
  return ids;
}

describe.each(PLACES)('reading the comments on a %s', (place) => {
  test('a list of comments takes at most four round trips, and a single comment or reply two', async () => {
    const discussion = await setDiscussion(service, place);
    const { me, at } = discussion;
    const { id } = await comment(me, at);
    const { id: replyId } = await reply(me, at, id);
    for (let i = 0; i < 3; i++) await comment(me, at);
    await me.put(`${at}/comments/${id}`, { addedReactions: ['1f44d'] });
    const next = (await me.get(`${at}/comments?limit=2`)).body.next.page;
    for (const query of ['', 'limit=2', `limit=2&page=${next}`, 'status=open&format=document'])
      expect(await tripsOf(discussion, `${at}/comments?${query}`), query).toBeLessThanOrEqual(4);
    expect(await tripsOf(discussion, `${at}/comments/${id}`)).toBe(2);
    expect(await tripsOf(discussion, `${at}/comments/${id}/replies`)).toBeLessThanOrEqual(4);
    expect(await tripsOf(discussion, `${at}/comments/${id}/replies/${replyId}`)).toBe(2);
  });

  test('all reactions and replies are counted, and a limited number of their users is shown', async () => {
    const discussion = await setDiscussion(service, place);
    const { me, at } = discussion;
    const { id } = await comment(me, at);
    const users = await people(150);
    const { db } = service.runtime.database;
    const time = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 1000);
    const reactions = users.map((user_id, i) => ({
      comment_id: id,
      user_id,
      emoji: i < 149 ? '👍' : '🎉',
      created_at: time(i),
    }));
    await db.insertInto('comment_reaction').values(reactions).execute();
    const { id: first } = await reply(me, at, id);
    const row = await db.selectFrom('comment').selectAll().where('id', '=', first).executeTakeFirstOrThrow();
    const replies = users.map((posted_by_id, i) => ({
      ...row,
      id: `${row.id.slice(0, -3)}${String(i).padStart(3, '0')}`,
      posted_by_id,
      document: JSON.stringify(row.document),
      created_at: time(i),
    }));
    await db
      .insertInto('comment')
      .values(replies as never)
      .execute();

    const { body: one } = await me.get(`${at}/comments/${id}`);
    const { body: list } = await me.get(`${at}/comments`);
    expect(list.items).toEqual([one]);
    const [thumbs, party] = one.reactions;
    expect([thumbs.emoji, thumbs.count, thumbs.users.length]).toEqual(['1f44d', 149, 99]);
    expect([party.emoji, party.count, party.users.length]).toEqual(['1f389', 1, 1]);
    expect(thumbs.users[0].user.id).toBe(users[0]);
    expect(one.replies).toBe(151);
    expect(one.repliers).toHaveLength(100);
    expect(one.repliers[1].user.id).toBe(users[149]);
  });
});
