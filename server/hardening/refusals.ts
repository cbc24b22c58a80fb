import type { Logger } from '../../routers/base/context.ts';
import { kyselyOf } from '../../routers/base/db.ts';
import type { Refusal, Refusals } from '../../routers/base/sign-in-ports.ts';
import { writeAccountEvents, writeAuditEvents } from '../../routers/events/audit-events.operation.ts';
import { auditEvent, byNobody, INSTALLATION_LOG, type NewAuditEvent } from '../../routers/events/audited.ts';
import type { DatabaseHandle } from '../database/database.ts';

/** Refusals are counted for this long, in milliseconds, before they are recorded. */
const WINDOW = 60_000;

/** Refusals that are told apart within that time; all others of an action are counted as one. */
const MAX_KINDS = 1000;

/** Refusals of one kind. */
interface Counted extends Refusal {
  count: number;
  since: number;
}

export interface RefusalCounter extends Refusals {
  /** Records what has been counted so far. */
  flush(): Promise<void>;
  /** Records the rest. */
  close(): Promise<void>;
}

/**
 * Counts refusals, and records them in the audit log once a minute, those that differ in nothing as one event: however many
 * there are, they cost the database little.
 */
export function countRefusals(database: Pick<DatabaseHandle, 'transaction'>, logger: Logger): RefusalCounter {
  let counted = new Map<string, Counted>();
  let timer: NodeJS.Timeout | undefined;

  function add(refusal: Counted): void {
    const { action, reason, user, organization, address } = refusal;
    const key = JSON.stringify([action, reason, user, organization, address]);
    const known = counted.get(key);
    if (known) {
      known.count += refusal.count;
      known.since = Math.min(known.since, refusal.since);
    } else if (counted.size < MAX_KINDS) counted.set(key, refusal);
    else {
      const rest = `rest ${action}`;
      const { count, since } = counted.get(rest) ?? { count: 0, since: refusal.since };
      counted.set(rest, { action, reason: 'others', count: count + refusal.count, since });
    }
    timer ??= setTimeout(() => void flush(), WINDOW).unref();
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const refusals = [...counted.values()];
    counted = new Map();
    if (refusals.length === 0) return;
    for (const { action, reason, user, address, count } of refusals)
      logger.warn({ action, reason, user, address, count }, 'refused');
    try {
      await record(database, refusals);
    } catch (error) {
      logger.warn({ err: error }, 'refusals could not be recorded yet');
      for (const refusal of refusals) add(refusal);
    }
  }

  return {
    note: (refusal) => add({ ...refusal, count: 1, since: Date.now() }),
    flush,
    async close() {
      await flush();
      clearTimeout(timer);
    },
  };
}

/** In the logs of those whom they concern: the organization, those of the user, or the installation. */
async function record(
  { transaction }: Pick<DatabaseHandle, 'transaction'>,
  refusals: readonly Counted[],
): Promise<void> {
  const ofUsers = refusals.flatMap((refusal) => {
    const { user, organization } = refusal;
    return user && !organization ? [{ user, make: () => eventOf(refusal) }] : [];
  });
  const others = refusals.filter(({ user, organization }) => !user || organization);
  await transaction(async (em) => {
    const trx = kyselyOf(em);
    await writeAuditEvents(
      trx,
      others.map((refusal) => ({ log: refusal.organization ?? INSTALLATION_LOG, event: eventOf(refusal) })),
    );
    if (ofUsers.length > 0) await writeAccountEvents(trx, ofUsers);
  });
}

function eventOf(refusal: Counted): NewAuditEvent {
  const { action, reason, user, organization, address, userAgent, count, since } = refusal;
  const target = user ?? organization ?? INSTALLATION_LOG;
  const targetType = user ? 'user' : organization ? 'organization' : 'installation';
  const payload = { reason, count, since: new Date(since).toISOString() };
  return auditEvent(
    { action, targetType, target, payload },
    byNobody({ address, userAgent }),
    user ?? undefined,
  );
}
