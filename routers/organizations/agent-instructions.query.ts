import type { Db } from '../base/db.ts';
import type { Document } from '../engine/document/document.ts';
import { serializeMarkdown } from '../engine/markdown/markdown.ts';

/** What an organization tells all models that work for it, as Markdown; empty if it tells them nothing. */
export async function readAgentInstructions(db: Db, organization: string): Promise<string> {
  const row = await db
    .selectFrom('agent_instructions')
    .select('instructions')
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  return row ? serializeMarkdown(row.instructions as Document).trim() : '';
}
