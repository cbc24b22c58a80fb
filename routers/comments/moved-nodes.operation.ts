import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import type { BranchHook, BranchId, ContentChange } from '../base/hooks.ts';
import { Outdated } from '../branches/outdated.ts';
import type { PageNode } from '../engine/store/moved-nodes.ts';

/** The nodes that comments on a branch were about, and those of them that are on another page now. */
interface MovedNodes {
  nodes: readonly PageNode[];
  moved: readonly (PageNode & { to: string })[];
}

/** Comments on a block that moves to another page follow it; other comments keep their target, even if it is gone. */
export const movedNodesHook: BranchHook<MovedNodes> = {
  async compute({ db, engine }, { branch, before, after, reader }) {
    // Nobody comments on what a space imports.
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
 * Makes sure that all comments have been looked at: who posts one locks the branch and makes sure that it has not moved.
 * @throws Outdated if one was posted on another node since
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
