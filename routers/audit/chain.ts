import { hash } from 'node:crypto';
import type { AuditEvent } from '../../schema/entities/audit-event.ts';
import type { Presentable } from '../../schema/rows.ts';
import { isoTime } from '../base/common-schemas.ts';
import { canonicalJson, type Json } from '../engine/store/canonical.ts';
import { personalDigest } from '../events/audit-event.ts';

/** The hash at the end of a log without events. */
export const GENESIS = '0'.repeat(64);

/** A place in the chain of a log: the number and hash of its event; before the first one, 0 and {@link GENESIS}. */
export interface ChainLink {
  number: number;
  hash: string;
}

export const CHAIN_START: ChainLink = { number: 0, hash: GENESIS };

/** An audit event as read from the database. */
export type AuditRow = Presentable<AuditEvent>;

/**
 * The hash of an event in its chain: SHA-256, in hex, of the hash of the event before it, a line break, and the canonical
 * JSON of the event with its number. Of the personal data it covers only the digest.
 */
const hashAt = (number: number, event: AuditRow, previous: string): string =>
  // guard: audit-hash-chain
  hash('sha256', [previous, canonicalJson(hashedFields(number, event))].join('\n'));

/** The fields that the hash of an event covers. */
const hashedFields = (number: number, event: AuditRow): Json => ({
  number,
  log: event.log,
  id: event.id,
  occurredAt: isoTime(event.createdAt),
  action: event.action,
  actor: { type: event.actorType, id: event.actor },
  source: event.source,
  target: { type: event.targetType, id: event.target },
  payload: event.payload as Json,
  credential: event.credential ?? null,
  request: event.request ?? null,
  person: event.person ?? null,
  personalDigest: event.personalDigest ?? null,
});

/** Appends events, in this order, to the chain that ends with a link. */
export function seal(last: ChainLink, events: readonly AuditRow[]): (ChainLink & { id: string })[] {
  let { number, hash: previous } = last;
  return events.map((event) => {
    number += 1;
    previous = hashAt(number, event, previous);
    return { id: event.id, number, hash: previous };
  });
}

/**
 * Checks that an event follows a link of its chain, and is as it was sealed.
 * @returns the problem, in a few words; undefined if there is none
 */
export function findChainFault(previous: ChainLink, event: AuditRow): string | undefined {
  const number = previous.number + 1;
  if (Number(event.number) !== number) return 'is missing';
  if (hashAt(number, event, previous.hash) !== event.hash)
    return 'differs from what was sealed, or is not in its place';
  // guard: audit-personal-digest
  if (!isPersonalDataIntact(event)) return 'has personal data that differ from what was sealed';
  return undefined;
}

/** Whether personal data is unchanged, or has been erased together with its salt. */
function isPersonalDataIntact({ personal, salt, personalDigest: digest }: AuditRow): boolean {
  if (personal === null || personal === undefined) return (salt ?? null) === null;
  return personalDigest(personal, salt) === digest;
}

/** Whether an event had personal data that have been erased. */
export const isErased = ({ personal, personalDigest: digest }: AuditRow): boolean =>
  (digest ?? null) !== null && (personal ?? null) === null;
