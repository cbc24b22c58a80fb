import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt } from '../columns.ts';
import { Organization } from './organization.ts';

/** A subdomain of the installation's domain that belongs to an organization. */
export const Subdomain = defineEntity({
  name: 'Subdomain',
  tableName: 'subdomain',
  properties: {
    subdomain: bytewise().primary(),
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade').unique(),
    createdAt: createdAt(),
  },
});
export type Subdomain = InferEntity<typeof Subdomain>;
