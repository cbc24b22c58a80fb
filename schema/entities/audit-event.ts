import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, id } from '../columns.ts';
import { AUDIT_ACTOR_TYPES, AUDIT_SOURCES } from '../enums.ts';

/**
 * Who did what to which object, and from where. It is written unsealed, in the transaction of the action it records; a job
 * then seals it into the chain of its log (`AuditLog`), after which only its personal data may change, by being erased. It
 * outlives its objects, so its ids are not foreign keys.
 */
export const AuditEvent = defineEntity({
  name: 'AuditEvent',
  tableName: 'audit_event',
  primaryKeys: ['log', 'id'],
  indexes: [
    { name: 'audit_event_actor', properties: ['log', 'actor', 'id'] },
    { name: 'audit_event_action', properties: ['log', 'action', 'id'] },
    { name: 'audit_event_target', properties: ['log', 'target', 'id'] },
    { name: 'audit_event_target_type', properties: ['log', 'targetType', 'id'] },
    { name: 'audit_event_unsealed', properties: ['log', 'id'], where: '"number" is null' },
    { name: 'audit_event_person', properties: ['person'], where: '"personal" is not null' },
    {
      name: 'audit_event_number',
      expression:
        'create unique index audit_event_number on audit_event (log, number) where number is not null',
    },
  ],
  properties: {
    /** The organization whose log it is in; `installation` for events without an organization. */
    log: bytewise().primary(),
    /** The time in it is the time of the event. */
    id: id(),
    action: p.text(),
    actorType: p.enum(AUDIT_ACTOR_TYPES),
    /** The id of the user, or the name of a part of the system. */
    actor: bytewise().fieldName('actor_id'),
    source: p.enum(AUDIT_SOURCES),
    targetType: p.text(),
    target: bytewise().fieldName('target_id'),
    /** Further details of the action: ids and settings, never names. */
    payload: p.json<Record<string, unknown>>(),
    /** The API token or session that was used, depending on the source. */
    credential: bytewise().fieldName('credential_id').nullable(),
    /** The id of the request, as in its response and in the service's log. */
    request: p.text().fieldName('request_id').nullable(),
    createdAt: createdAt(),
    /** The user that the personal data is about. */
    person: bytewise().fieldName('person_id').nullable(),
    /** Null if there was none, or it was erased. */
    personal: p.json<AuditedPerson>().nullable(),
    /** Random, and erased with the personal data, so that the digest then reveals nothing. */
    salt: p.text().nullable(),
    /** Stands for the personal data in the chain: SHA-256 of salt and data. */
    personalDigest: p.text().nullable(),
    /** Its position in the chain, from 1 and without gaps; null until it is sealed. */
    number: p.bigint('number').nullable(),
    hash: p.text().nullable(),
  },
});
export type AuditEvent = InferEntity<typeof AuditEvent>;

/** The personal data of an event's actor at that time. */
export interface AuditedPerson {
  name?: string;
  email?: string;
  address?: string;
  userAgent?: string;
}
