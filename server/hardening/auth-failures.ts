import type { Logger } from '../../routers/base/context.ts';
import { kyselyOf } from '../../routers/base/db.ts';
import type { AuthFailure, AuthFailureLog } from '../../routers/base/sign-in-ports.ts';
import {
  anonymousAttribution,
  auditEvent,
  INSTALLATION_LOG,
  type NewAuditEvent,
} from '../../routers/events/audit-event.ts';
import { writeAccountEvents, writeAuditEvents } from '../../routers/events/audit-events.operation.ts';
import type { DatabaseHandle } from '../database/database.ts';

/** How long failures are counted before they are recorded, in milliseconds. */
const WINDOW = 60_000;

/** Maximum number of kinds that are counted separately within that time; the others are counted together, by action. */
const MAX_KINDS = 1000;

/** Failures of one kind. */
interface CountedFailure extends AuthFailure {
  count: number;
  since: number;
}

export interface AuthFailureRecorder extends AuthFailureLog {
  /** Records what has been counted so far. */
  flush(): Promise<void>;
  /** Records the rest. */
  close(): Promise<void>;
}

/**
 * Counts authentication failures, and records them in the audit log once a minute, equal ones as one event: however many
 * there are, they cost the database little.
 */
export function openAuthFailureLog(
  database: Pick<DatabaseHandle, 'transaction'>,
  logger: Logger,
): AuthFailureRecorder {
  let counted = new Map<string, CountedFailure>();
  let timer: NodeJS.Timeout | undefined;

  function count(failure: CountedFailure): void {
    const { action, reason, user, organization, address } = failure;
    const key = JSON.stringify([action, reason, user, organization, address]);
    const known = counted.get(key);
    // guard: audit-refusal-kinds
    if (known) {
      known.count += failure.count;
      known.since = Math.min(known.since, failure.since);
    } else if (counted.size < MAX_KINDS) counted.set(key, failure);
    else {
      const rest = `rest ${action}`;
      const { count, since } = counted.get(rest) ?? { count: 0, since: failure.since };
      counted.set(rest, { action, reason: 'others', count: count + failure.count, since });
    }
    timer ??= setTimeout(() => void flush(), WINDOW).unref();
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const failures = [...counted.values()];
    counted = new Map();
    if (failures.length === 0) return;
    for (const { action, reason, user, address, count } of failures)
      logger.warn({ action, reason, user, address, count }, 'authentication failed');
    try {
      await saveFailures(database, failures);
    } catch (error) {
      logger.warn({ err: error }, 'authentication failures could not be recorded yet');
      for (const failure of failures) count(failure);
    }
  }

  return {
    record: (failure) => count({ ...failure, count: 1, since: Date.now() }),
    flush,
    async close() {
      await flush();
      clearTimeout(timer);
    },
  };
}

/** Writes failures to the audit logs concerned: that of the organization, those of the user, or that of the installation. */
async function saveFailures(
  { transaction }: Pick<DatabaseHandle, 'transaction'>,
  failures: readonly CountedFailure[],
): Promise<void> {
  const userEvents = failures.flatMap((failure) => {
    const { user, organization } = failure;
    return user && !organization ? [{ user, make: () => eventOf(failure) }] : [];
  });
  const others = failures.filter(({ user, organization }) => !user || organization);
  await transaction(async (em) => {
    const trx = kyselyOf(em);
    await writeAuditEvents(
      trx,
      others.map((failure) => ({ log: failure.organization ?? INSTALLATION_LOG, event: eventOf(failure) })),
    );
    if (userEvents.length > 0) await writeAccountEvents(trx, userEvents);
  });
}

function eventOf(failure: CountedFailure): NewAuditEvent {
  const { action, reason, user, organization, address, userAgent, count, since } = failure;
  const target = user ?? organization ?? INSTALLATION_LOG;
  const targetType = user ? 'user' : organization ? 'organization' : 'installation';
  const payload = { reason, count, since: new Date(since).toISOString() };
  return auditEvent(
    { action, targetType, target, payload },
    anonymousAttribution({ address, userAgent }),
    user ?? undefined,
  );
}
