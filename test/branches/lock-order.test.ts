import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOCK_ORDER } from '../../routers/lock-order.ts';
import { edit, open, rewrite, setScene } from '../change-requests/scene.ts';
import { comment, reply } from '../comments/scene.ts';
import { made, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** The tables whose rows a statement locks against other changes. */
function lockedBy(statement: string): string[] {
  const text = statement.replace(/\s+/g, ' ').trim().toLowerCase();
  if (/for (no key )?update/.test(text) && !text.includes('skip locked'))
    return [/ from "?(\w+)"?/.exec(text)?.[1] as string];
  const changed = /^(?:with .*?insert into event_counter|update|delete from|insert into) ?"?(\w*)"?/.exec(
    text,
  );
  if (text.includes('insert into event_counter')) return ['event_counter'];
  return changed && !text.startsWith('insert') ? [changed[1] as string] : [];
}

/** The tables that each transaction locks, in order, while something runs. */
async function watchLocks(work: () => Promise<unknown>): Promise<string[][]> {
  const open = new Map<pg.Client, string[]>();
  const ended: string[][] = [];
  const original = pg.Client.prototype.query;
  // biome-ignore lint/suspicious/noExplicitAny: the driver's overloads
  const watched = function (this: pg.Client, ...given: any[]) {
    const text = String(given[0]?.text ?? given[0]).trim();
    if (/^begin/i.test(text)) open.set(this, []);
    else if (/^commit/i.test(text)) {
      ended.push([...new Set(open.get(this))]);
      open.delete(this);
    } else if (/^rollback/i.test(text)) open.delete(this);
    else open.get(this)?.push(...lockedBy(text));
    return Reflect.apply(original, this, given);
  };
  pg.Client.prototype.query = watched as typeof original;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = original;
  }
  return ended;
}

const place = (table: string) => (LOCK_ORDER as readonly string[]).indexOf(table);

test('transactions lock in one order', async () => {
  const transactions = await watchLocks(async () => {
    const scene = await setScene(service);
    const { me, organization, path, page, space } = scene;
    const { nodes } = (await me.get(`${path}/content/page/${page}?format=document`)).body.document;
    const { id } = await comment(me, path, { page, node: nodes[0].key });
    await reply(me, path, id);
    await made(me.put(`${path}/comments/${id}`, { resolved: true, addedReactions: ['1f389'] }));
    const request = await open(scene);
    const remark = await comment(me, request.at);
    await made(me.put(`${request.at}/comments/${remark.id}`, { resolved: true }));
    await me.delete(`${request.at}/comments/${remark.id}`);
    await rewrite(scene, request.at, { title: 'Proposed' });
    await made(me.patch(request.at, { status: 'open', subject: 'New' }));
    await made(me.post(`${request.at}/reviews`, { status: 'approved', comment: { markdown: 'Fine.' } }));
    await edit(me, path, { operation: 'insert_page', title: 'Other' });
    await made(me.post(`${request.at}/update`));
    await made(me.post(`${request.at}/merge`));
    await me.delete(`${path}/comments/${id}`);
    await made(me.patch(path, { editMode: 'locked' }));
    const collection = await made(me.post(`/orgs/${organization}/collections`, { title: 'Collection' }));
    await made(me.post(`${path}/move`, { parent: collection.id }));
    const site = await made(me.post(`/orgs/${organization}/sites`, { title: 'Site', spaces: [space] }));
    await made(me.patch(`/orgs/${organization}/sites/${site.id}`, { title: 'Renamed' }));
    await me.delete(path);
    await me.delete(`/orgs/${organization}/sites/${site.id}`);
    await me.delete(`/collections/${collection.id}`);
    const member = await service.build.member(organization, 'edit');
    await made(me.patch(`/orgs/${organization}/members/${member.id}`, { role: 'read' }));
    await me.delete(`/orgs/${organization}/members/${member.id}`);
  });
  const locking = transactions.map((tables) => tables.filter((table) => place(table) >= 0));
  for (const tables of locking)
    expect(tables, tables.join(' < ')).toEqual(tables.toSorted((a, b) => place(a) - place(b)));
  const pairs = new Set(
    locking.flatMap((tables) => tables.slice(1).map((table, i) => `${tables[i]} ${table}`)),
  );
  for (const pair of [
    'organization space',
    'organization member',
    'space change_request',
    'change_request comment',
    'space comment',
    'space event_counter',
    'change_request event_counter',
  ])
    expect(pairs, [...pairs].join(', ')).toContain(pair);
});
