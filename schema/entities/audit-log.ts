import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, timestamp } from '../columns.ts';

/**
 * The hash chain of the audit events of an organization, or of the installation. Only the sealing job locks it, so
 * recording an event never waits.
 */
export const AuditLog = defineEntity({
  name: 'AuditLog',
  tableName: 'audit_log',
  properties: {
    /** As in `AuditEvent`. */
    log: bytewise().primary(),
    /** The last sealed event. */
    number: p.bigint('number').default(0),
    hash: p.text(),
    sealedAt: timestamp().nullable(),
    /** The last event that was removed because of its age: verification of the rest starts here. */
    removedNumber: p.bigint('number').default(0),
    removedHash: p.text(),
  },
});
export type AuditLog = InferEntity<typeof AuditLog>;
