import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, updatedAt } from '../columns.ts';
import type { Document } from '../json/document.ts';
import { Organization } from './organization.ts';
import { User } from './user.ts';

/** An organization's instructions to the language models that work for it. There is no row until they are first set. */
export const AgentInstructions = defineEntity({
  name: 'AgentInstructions',
  tableName: 'agent_instructions',
  primaryKeys: ['organization'],
  properties: {
    organization: () => p.manyToOne(Organization).mapToPk().primary().deleteRule('cascade'),
    instructions: p.json<Document>(),
    updatedBy: () => p.manyToOne(User).mapToPk().nullable().deleteRule('set null').index(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
export type AgentInstructions = InferEntity<typeof AgentInstructions>;
