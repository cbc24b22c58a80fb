import { z } from 'zod';
import type { AgentInstructions } from '../../schema/entities/agent-instructions.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime } from '../base/common-schemas.ts';
import { Document } from '../engine/document/document.ts';
import { published } from '../engine/markdown/published/published.ts';

/** The public object of the agent instructions of an organization. */
export const AgentInstructionsObject = z
  .object({
    object: z.literal('agent-instructions').describe('The type of the object: always `agent-instructions`.'),
    instructions: Document.describe('The instructions to follow, as a document.'),
    updatedAt: z.string().describe('When it was last changed, in ISO 8601 UTC.'),
    updatedBy: z
      .string()
      .describe('The id of the user who last changed them; empty if nobody has, or the user was deleted.'),
    urls: z
      .object({ location: z.string().describe('The URL of the object in this API.') })
      .describe('The URLs of the object.'),
  })
  .meta({
    id: 'OrganizationAgentInstructions',
    description: 'The instructions that language models get for an organization.',
  });

/** The instructions of an organization that has never set any. */
const EMPTY: Document = { object: 'document', data: { schemaVersion: 1 }, nodes: [] };

export const presentAgentInstructions = (
  written: Presentable<AgentInstructions> | undefined,
  organization: { id: string; createdAt: Date | string },
  { urls }: Pick<Viewer, 'urls'>,
): z.infer<typeof AgentInstructionsObject> => ({
  object: 'agent-instructions',
  instructions: published((written?.instructions as Document | undefined) ?? EMPTY),
  updatedAt: isoTime(written?.updatedAt ?? organization.createdAt),
  updatedBy: written?.updatedBy ?? '',
  urls: { location: urls.location('orgs', organization.id, 'agent-instructions') },
});
