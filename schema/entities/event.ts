import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, id } from '../columns.ts';
import { Organization } from './organization.ts';

/** Something that happened in an organization. It outlives its objects, so its ids are not foreign keys. */
export const Event = defineEntity({
  name: 'Event',
  tableName: 'event',
  uniques: [{ name: 'event_number', properties: ['organization', 'number'] }],
  indexes: [
    { name: 'event_space', properties: ['space', 'number'], where: '"space_id" is not null' },
    {
      name: 'event_change_request',
      properties: ['changeRequest', 'number'],
      where: '"change_request_id" is not null',
    },
    { name: 'event_type', properties: ['organization', 'type', 'number'] },
    { name: 'event_retention', properties: ['createdAt'] },
  ],
  properties: {
    id: id(),
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    /** Counts up from 1 within the organization, without gaps and in the order of the commits. */
    number: p.bigint('number'),
    type: p.text(),
    /** The user who did it; null for the operator and for jobs. */
    actor: bytewise().fieldName('actor_id').nullable(),
    space: bytewise().fieldName('space_id').nullable(),
    collection: bytewise().fieldName('collection_id').nullable(),
    changeRequest: bytewise().fieldName('change_request_id').nullable(),
    site: bytewise().fieldName('site_id').nullable(),
    /** Further fields, depending on the type. */
    details: p.json<Record<string, unknown>>(),
    createdAt: createdAt(),
  },
});
export type Event = InferEntity<typeof Event>;
