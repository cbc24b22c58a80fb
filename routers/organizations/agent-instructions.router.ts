import { z } from 'zod';
import { AgentInstructions } from '../../schema/entities/agent-instructions.ts';
import { columnsOf } from '../../schema/rows.ts';
import { organizationProcedure } from '../access/procedures.ts';
import { router } from '../base/trpc.ts';
import { DocumentInput } from '../engine/document/document.ts';
import { normalizeShortDocument } from '../engine/tasks/short-document.ts';
import { recordEvent } from '../events/record.operation.ts';
import { AgentInstructionsObject, presentAgentInstructions } from './agent-instructions.api.ts';
import { lockOrganizations } from './lock.operation.ts';
import { route } from './route.ts';

const PATH = '/orgs/{organizationId}/agent-instructions';

/** Each request to a language model sends them. */
const LIMIT = { max: 100_000, name: 'instructions', verb: 'are', path: 'instructions' };

export const agentInstructionsRouter = router({
  getAgentInstructions: organizationProcedure('viewAgentInstructions')
    .meta(
      route.get(PATH, 'Get the agent instructions of an organization', 'getOrganizationAgentInstructions', {
        description: 'Returns an empty document until somebody sets them.',
      }),
    )
    .output(AgentInstructionsObject)
    .query(async ({ ctx: { db, organization, viewer } }) => {
      const written = await db
        .selectFrom('agent_instructions')
        .select(columnsOf(AgentInstructions))
        .where('organization_id', '=', organization.id)
        .executeTakeFirst();
      return presentAgentInstructions(written, organization, viewer);
    }),

  updateAgentInstructions: organizationProcedure('admin')
    .meta(
      route.put(
        PATH,
        'Update the agent instructions of an organization',
        'updateOrganizationAgentInstructions',
        { description: 'Replaces the instructions that language models get for this organization.' },
      ),
    )
    .input(z.object({ instructions: DocumentInput.describe('The instructions to follow, as a document.') }))
    .output(AgentInstructionsObject)
    .mutation(async ({ ctx, input }) => {
      const { em, db, organization, actor, viewer } = ctx;
      const instructions = normalizeShortDocument(input.instructions, LIMIT);
      // If several requests set the first instructions at once, one of them creates the row.
      await lockOrganizations(db, organization.id);
      const found = await em.findOne(AgentInstructions, { organization: organization.id });
      const given = { instructions, updatedBy: actor.user.id };
      const written = found
        ? em.assign(found, { ...given, updatedAt: new Date() })
        : em.create(AgentInstructions, { organization: organization.id, ...given });
      await em.flush();
      recordEvent(em, { type: 'organization.updated', organization: organization.id });
      return presentAgentInstructions(written, organization, viewer);
    }),
});
