import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../schema/ids.ts';
import { edit, setScene } from '../change-requests/scene.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';
import { comment, type Discussion, PLACES, setDiscussion } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

interface Node {
  key: string;
  type: string;
  data: { records: object; definition: object };
}

async function nodesOf(client: Client, at: string, page: string): Promise<Node[]> {
  const { status, body } = await client.get(`${at}/content/page/${page}?format=document`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.document.nodes;
}

/** Adds pages to the space or change request, and returns their ids. */
async function addPages({ me, at }: Discussion, ...texts: string[]): Promise<string[]> {
  await edit(
    me,
    at,
    ...texts.map((markdown, index) => ({
      operation: 'insert_page',
      title: `Added ${index}`,
      document: { markdown },
    })),
  );
  const { pages } = (await me.get(`${at}/content`)).body;
  return pages.slice(-texts.length).map(({ id }: { id: string }) => id);
}

const write = (page: string, markdown: string) => ({
  operation: 'update_page',
  page,
  document: { markdown },
});

describe.each(PLACES)('the target of a comment on a %s', (place) => {
  test('the target of a comment is a page, a node on it, or a cell of a table', async () => {
    const discussion = await setDiscussion(service, place);
    const { me, at } = discussion;
    const [page = ''] = await addPages(discussion, 'Text.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n');
    const { revision } = (await me.get(at)).body;
    const [paragraph, table] = (await nodesOf(me, at, page)) as [Node, Node];
    const tableCell = {
      record: Object.keys(table.data.records)[0],
      definition: Object.keys(table.data.definition)[1],
    };
    const onNode = await comment(me, at, { page, node: paragraph.key });
    expect(onNode.target).toMatchObject({ page: { id: page }, node: { id: paragraph.key }, revision });
    expect(onNode.target).not.toHaveProperty('tableCell');
    const onCell = await comment(me, at, { page, node: table.key, tableCell });
    expect(onCell.target).toMatchObject({ page: { id: page }, node: { id: table.key }, tableCell, revision });
    expect((await me.get(`${at}/comments/${onCell.id}`)).body).toEqual(onCell);
    expect((await me.get(`${at}/comments?targetPage=${page}`)).body.count).toBe(2);
  });

  test('a comment on a target that does not exist is refused', async () => {
    const discussion = await setDiscussion(service, place);
    const { me, at, page } = discussion;
    const elsewhere = await setScene(service);
    const [other = '', group = ''] = await addPages(discussion, 'Other text.', '');
    const [{ key: node }] = (await nodesOf(me, at, page)) as [Node];
    const [{ key: otherNode }] = (await nodesOf(me, at, other)) as [Node];
    const post = (target: object) => me.post(`${at}/comments`, { body: {}, ...target });
    for (const target of [
      { page: newId() },
      { page: 'x' },
      { page: elsewhere.page },
      { page, node: otherNode },
      { page, node: 'nothing' },
      { page, node: '__proto__' },
      { page: group, node },
      { page, node, tableCell: { record: 'r1', definition: 'c1' } },
      { page, node, tableCell: { record: 'constructor', definition: 'toString' } },
    ]) {
      const { status, body } = await post(target);
      expect([status, body.error?.code], JSON.stringify(target)).toEqual([404, 404]);
    }
    for (const target of [
      { node },
      { page, tableCell: { record: 'r1', definition: 'c1' } },
      { page, node, tableCell: { record: 'r1' } },
      { page, node: '' },
      { page, node: 'x'.repeat(256) },
      { page: null },
    ])
      expect((await post(target)).status, JSON.stringify(target)).toBe(400);
    expect((await me.get(`${at}/comments`)).body.count).toBe(0);
  });

  test('a comment keeps its target after the target is deleted', async () => {
    const discussion = await setDiscussion(service, place);
    const { me, at, page } = discussion;
    const [{ key: node }] = (await nodesOf(me, at, page)) as [Node];
    const { id, target } = await comment(me, at, { page, node });
    await edit(me, at, write(page, 'Completely rewritten words here, unlike all before them.\n\n* A list\n'));
    expect((await nodesOf(me, at, page)).map(({ key }) => key)).not.toContain(node);
    expect((await me.get(`${at}/comments/${id}`)).body.target).toEqual(target);
    await edit(me, at, { operation: 'delete_page', page });
    expect((await me.get(`${at}/comments/${id}`)).body.target).toEqual(target);
    expect((await me.get(`${at}/comments?targetPage=${page}`)).body.count).toBe(1);
    // The revision that the comment names has the target.
    const { space } = discussion;
    const then = await me.get(`/spaces/${space}/revisions/${target.revision}/page/${page}?format=document`);
    expect(then.body.document.nodes.map(({ key }: Node) => key)).toContain(node);
  });

  test('a comment follows its block within the page, and to another page', async () => {
    const discussion = await setDiscussion(service, place);
    const { me, at, page } = discussion;
    const [other = ''] = await addPages(discussion, 'Other text.');
    const [, second] = (await nodesOf(me, at, page)) as [Node, Node];
    const moving = await comment(me, at, { page, node: second.key });
    const onPage = await comment(me, at, { page });
    const targetOf = async ({ id }: { id: string }) => (await me.get(`${at}/comments/${id}`)).body.target;

    await edit(me, at, write(page, 'Second paragraph.\n\nThird paragraph.\n\nFirst paragraph.\n'));
    expect((await nodesOf(me, at, page))[0]?.key).toBe(second.key);
    expect(await targetOf(moving)).toEqual(moving.target);

    await edit(
      me,
      at,
      write(page, 'Third paragraph.\n\nFirst paragraph.\n'),
      write(other, 'Other text.\n\nSecond paragraph.\n'),
    );
    const { revision } = (await me.get(at)).body;
    expect(await targetOf(moving)).toEqual({ ...moving.target, page: { id: other }, revision });
    expect(await targetOf(onPage)).toEqual(onPage.target);

    // Into a new page, while the old one is deleted.
    await edit(
      me,
      at,
      { operation: 'delete_page', page: other },
      { operation: 'insert_page', title: 'New', document: { markdown: 'Second paragraph.\n' } },
    );
    const { pages } = (await me.get(`${at}/content`)).body;
    const { id: created } = pages.find(({ title }: { title: string }) => title === 'New');
    expect((await targetOf(moving)).page).toEqual({ id: created });

    // Not if it is ambiguous which block it has become.
    await edit(
      me,
      at,
      { operation: 'delete_page', page: created },
      ...['One', 'Two'].map((title) => ({
        operation: 'insert_page',
        title,
        document: { markdown: 'Second paragraph.\n' },
      })),
    );
    expect((await targetOf(moving)).page).toEqual({ id: created });
  });

  test('a comment does not follow to an equal block that was on another page before', async () => {
    const discussion = await setDiscussion(service, place);
    const { me, at, page } = discussion;
    const [other = ''] = await addPages(discussion, 'Other text.\n\nSecond paragraph.');
    const [, second] = (await nodesOf(me, at, page)) as [Node, Node];
    const { id, target } = await comment(me, at, { page, node: second.key });
    await edit(
      me,
      at,
      write(page, 'First paragraph.\n\nThird paragraph.\n'),
      write(other, 'More text.\n\nSecond paragraph.\n'),
    );
    expect((await me.get(`${at}/comments/${id}`)).body.target).toEqual(target);
  });
});

interface Table extends Node {
  data: { records: Record<string, { values: Record<string, string> }>; definition: Record<string, object> };
  fragments: { fragment: string; nodes: object[] }[];
}

const table = (...rows: string[][]) =>
  rows
    .flatMap((row, index) => [
      `| ${row.join(' | ')} |`,
      ...(index === 0 ? [`|${'---|'.repeat(row.length)}`] : []),
    ])
    .join('\n');

describe.each(PLACES)('a comment on a cell of a table on a %s', (place) => {
  const ROWS = [
    ['name', 'size'],
    ['ant', 'small'],
    ['bear', 'large'],
    ['cat', 'medium'],
  ];

  /** A page with a table, and a comment on the size of the bear. */
  async function setTable() {
    const discussion = await setDiscussion(service, place);
    const { me, at } = discussion;
    const [page = '', other = ''] = await addPages(discussion, table(...ROWS), 'Other.');
    const [{ key, data }] = (await nodesOf(me, at, page)) as [Table];
    const tableCell = {
      record: Object.keys(data.records)[1] as string,
      definition: Object.keys(data.definition)[1] as string,
    };
    const { id } = await comment(me, at, { page, node: key, tableCell });
    /** The text of the commented cell, as a client finds it in the current content. */
    const commented = async (on = page) => {
      const { target } = (await me.get(`${at}/comments/${id}`)).body;
      expect(target.page.id).toBe(on);
      if (!target.tableCell) return undefined;
      const nodes = (await nodesOf(me, at, on)) as Table[];
      const found = nodes.find((one) => one.key === target.node.id) as Table;
      const value = found.data.records[target.tableCell.record]?.values[target.tableCell.definition];
      return JSON.stringify(found.fragments.find(({ fragment }) => fragment === value)?.nodes);
    };
    return { ...discussion, page, other, commented };
  }

  test('follows its row and its column', async () => {
    const { me, at, page, other, commented } = await setTable();
    const [head, ant, bear, cat] = ROWS as [string[], string[], string[], string[]];
    const dog = ['dog', 'medium'];
    for (const rows of [
      [head, dog, ant, bear, cat],
      [head, bear, ant, cat],
      [head, ant, cat, bear],
      [head, ant, cat, ['bear', 'large, mostly']],
      [head, ant, cat, bear].map(([name = '', size = '']) => [name, size === 'size' ? 'legs' : '4', size]),
      [head, bear],
    ]) {
      await edit(me, at, write(page, table(...rows)));
      expect(await commented(), table(...rows)).toContain('large');
    }
    // Its key is that of the table as it was first.
    await edit(me, at, write(page, 'Nothing.'), write(other, `Other.\n\n${table(...ROWS)}`));
    expect(await commented(other)).toContain('large');
  });

  test('is about the table once its row or column is deleted, not about the next one', async () => {
    for (const rows of [ROWS.toSpliced(2, 1), ROWS.map(([name = '']) => [name])]) {
      const { me, at, page, commented } = await setTable();
      await edit(me, at, write(page, table(...rows)));
      expect(await commented()).toBeUndefined();
    }
  });
});

test('comments on the space follow blocks that a merge moves, and comments on a change request those that an update moves', async () => {
  const discussion = await setDiscussion(service, 'change request');
  const { me, at, path, page } = discussion;
  const [, second, third] = (await nodesOf(me, path, page)) as [Node, Node, Node];
  const inSpace = await comment(me, path, { page, node: second.key });
  const inRequest = await comment(me, at, { page, node: third.key });
  await edit(me, at, write(page, 'First paragraph.\n\nThird paragraph.\n'));
  const [other = ''] = await addPages(discussion, 'Second paragraph.');
  await me.post(`${at}/merge`);
  const targetOf = async (place: string, id: string) => (await me.get(`${place}/comments/${id}`)).body.target;
  expect((await targetOf(path, inSpace.id)).page).toEqual({ id: other });
  expect(await targetOf(at, inRequest.id)).toEqual(inRequest.target);
});

test('comments on nodes of long pages are posted, and follow them', async () => {
  const discussion = await setDiscussion(service, 'space');
  const { me, at, page } = discussion;
  const long = Array.from({ length: 2000 }, (_, index) => `Paragraph number ${index}.`);
  await edit(me, at, write(page, long.join('\n\n')));
  const node = (await nodesOf(me, at, page)).at(-1)?.key;
  expect((await me.post(`${at}/comments`, { body: {}, page, node: 'nothing' })).status).toBe(404);
  const { id } = await comment(me, at, { page, node });
  const [other = ''] = await addPages(discussion, 'Other text.');
  await edit(
    me,
    at,
    write(page, long.slice(0, -1).join('\n\n')),
    write(other, `Other text.\n\n${long.at(-1)}`),
  );
  const { target } = (await me.get(`${at}/comments/${id}`)).body;
  expect(target).toMatchObject({ page: { id: other }, node: { id: node } });
});
