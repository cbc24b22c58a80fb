import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import type { BranchHook, BranchId, ContentChange } from '../base/hooks.ts';
import { Outdated } from '../branches/outdated.ts';
import type { MovedNode, PageNode } from '../engine/merge/moved-nodes.ts';

/** The nodes and cells that comments on a branch are about, and those of them that have moved. */
interface MovedNodes {
  nodes: readonly PageNode[];
  moved: readonly MovedNode[];
}

/**
 * Makes comments follow a block that moves to another page, and a cell that moves within its table. If a cell is deleted and
 * another may get its name, its comments are about the table. Other comments keep their target, even if it is deleted.
 */
export const movedNodesHook: BranchHook<MovedNodes> = {
  async compute({ db, engine }, { branch, before, after, reader }) {
    // Imports have no comments.
    if (branch.kind === 'import') return undefined;
    const nodes = await readNodes(db, branch);
    if (nodes.length === 0) return { nodes, moved: [] };
    return { nodes, moved: await engine.run('movedNodes', { before, after, nodes }, reader) };
  },
  async save(db, change, computed) {
    if (!computed) return;
    // guard: comment-nodes-while-moving
    await requireUnchangedNodes(db, change.branch, computed.nodes);
    await moveNodes(db, change, computed.moved);
  },
};

const commentsOn = ({ kind, id }: BranchId) =>
  kind === 'change-request'
    ? sql<boolean>`comment.change_request_id = ${id}`
    : sql<boolean>`comment.space_id = ${id} and comment.change_request_id is null`;

async function readNodes(db: Db, branch: BranchId): Promise<PageNode[]> {
  const { rows } = await sql<Target>`
    select distinct page, node, table_record as record, table_definition as definition
    from comment where ${commentsOn(branch)} and node is not null`.execute(db);
  return rows.map(({ page, node, record, definition }) => ({
    page,
    node,
    ...(record !== null && definition !== null && { tableCell: { record, definition } }),
  }));
}

/** The target of a comment, as its columns hold it. */
interface Target {
  page: string;
  node: string;
  record: string | null;
  definition: string | null;
}

const targetOf = ({ page, node, tableCell }: PageNode): Target => ({
  page,
  node,
  record: tableCell?.record ?? null,
  definition: tableCell?.definition ?? null,
});

/** Whether a comment is about a target that a table `name` lists. */
const isAbout = (name: 'known' | 'moved') => {
  const target = sql.ref(name);
  return sql<boolean>`${target}.page = comment.page and ${target}.node = comment.node
    and ${target}.record is not distinct from comment.table_record
    and ${target}.definition is not distinct from comment.table_definition`;
};

/**
 * Requires that no comment has been missed: posting one locks the branch, and checks that its content has not changed.
 * @throws Outdated if a comment has been posted on another node or cell since
 */
async function requireUnchangedNodes(db: Db, branch: BranchId, nodes: readonly PageNode[]): Promise<void> {
  const { rows } = await sql`
    select from comment
    where ${commentsOn(branch)} and node is not null and not exists (
      select from json_to_recordset(${JSON.stringify(nodes.map(targetOf))}::json)
        as known(page text, node text, record text, definition text)
      where ${isAbout('known')})
    limit 1`.execute(db);
  if (rows.length > 0) throw new Outdated('hooks');
}

async function moveNodes(
  db: Db,
  { branch, revision }: ContentChange,
  moved: MovedNodes['moved'],
): Promise<void> {
  if (moved.length === 0) return;
  const rows = moved.map(({ to, ...one }) => ({
    ...targetOf(one),
    to_page: to.page,
    to_record: to.tableCell?.record,
    to_definition: to.tableCell?.definition,
  }));
  await sql`
    update comment set
      page = to_page, table_record = to_record, table_definition = to_definition, revision_id = ${revision}
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as moved(page text, node text, record text, definition text, to_page text, to_record text, to_definition text)
    where ${commentsOn(branch)} and ${isAbout('moved')}`.execute(db);
}
