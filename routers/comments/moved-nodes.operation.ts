import { sql } from 'kysely';
import type { Follower } from '../branches/followers.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { kyselyOf } from '../context.ts';
import type { PageNode } from '../engine/store/moved-nodes.ts';

/** Comments on a block that moves to another page follow it; other comments keep their target, even if it is gone. */
export const followMovedNodes: Follower = async ({ em, engine }, { branch, revision }) => {
  const db = kyselyOf(em);
  const onBranch =
    'space' in branch
      ? sql`comment.change_request_id = ${branch.id}`
      : sql`comment.space_id = ${branch.id} and comment.change_request_id is null`;
  const { rows: nodes } = await sql<PageNode>`
    select distinct page, node from comment where ${onBranch} and node is not null`.execute(db);
  if (nodes.length === 0) return;
  const [before] = await readRoots(db, [revision.parents[0] as string] as const);
  const moved = await engine.run('movedNodes', { before, after: revision.root, nodes }, objectReader(db));
  if (moved.length === 0) return;
  await sql`
    update comment set page = moved."to", revision_id = ${revision.id}
    from json_to_recordset(${JSON.stringify(moved)}::json) as moved(page text, node text, "to" text)
    where ${onBranch} and comment.page = moved.page and comment.node = moved.node`.execute(db);
};
