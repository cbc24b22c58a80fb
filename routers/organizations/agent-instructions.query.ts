import type { Db } from '../base/db.ts';
import type { Document } from '../engine/document/document.ts';
import { serializeMarkdown } from '../engine/markdown/markdown.ts';

/** The instructions of an organization for language models, as Markdown; empty if it has none. */
export async function readAgentInstructions(db: Db, organization: string): Promise<string> {
  const row = await db
    .selectFrom('agent_instructions')
    .select('instructions')
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  return row ? serializeMarkdown(row.instructions as Document).trim() : '';
}
