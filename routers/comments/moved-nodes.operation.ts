import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import type { BranchHook, BranchId, ContentChange } from '../base/hooks.ts';
import { Outdated } from '../branches/outdated.ts';
import type { PageNode } from '../engine/store/moved-nodes.ts';

/** The nodes that comments on a branch are about, and those of them that have moved to another page. */
interface MovedNodes {
  nodes: readonly PageNode[];
  moved: readonly (PageNode & { to: string })[];
}

/** Makes comments follow a block that moves to another page. Other comments keep their target, even if it is deleted. */
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
  const { rows } = await sql<PageNode>`
    select distinct page, node from comment where ${commentsOn(branch)} and node is not null`.execute(db);
  return rows;
}

/**
 * Requires that no comment has been missed: posting one locks the branch, and checks that its content has not changed.
 * @throws Outdated if a comment has been posted on another node since
 */
async function requireUnchangedNodes(db: Db, branch: BranchId, known: readonly PageNode[]): Promise<void> {
  const { rows } = await sql`
    select from comment
    where ${commentsOn(branch)} and node is not null and not exists (
      select from json_to_recordset(${JSON.stringify(known)}::json) as known(page text, node text)
      where known.page = comment.page and known.node = comment.node)
    limit 1`.execute(db);
  if (rows.length > 0) throw new Outdated('hooks');
}

async function moveNodes(
  db: Db,
  { branch, revision }: ContentChange,
  moved: MovedNodes['moved'],
): Promise<void> {
  if (moved.length === 0) return;
  await sql`
    update comment set page = moved."to", revision_id = ${revision}
    from json_to_recordset(${JSON.stringify(moved)}::json) as moved(page text, node text, "to" text)
    where ${commentsOn(branch)} and comment.page = moved.page and comment.node = moved.node`.execute(db);
}
