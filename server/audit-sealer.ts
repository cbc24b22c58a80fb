import { sealAuditLogs } from '../routers/audit/seal.operation.ts';
import type { Context } from '../routers/base/context.ts';
import { openRepeatedErrors } from './repeated-errors.ts';
import { waitAtMost } from './shutdown.ts';

/** How often audit events are sealed, in milliseconds. */
const INTERVAL = 5000;

export interface AuditSealer {
  /** Waits for sealing in progress, for at most `timeout` milliseconds. */
  close(timeout: number): Promise<void>;
}

/** Seals audit events every few seconds. A log is sealed by one process at a time. */
export function openAuditSealer(context: Context, interval = INTERVAL): AuditSealer {
  const errors = openRepeatedErrors(context.services.logger, 'error');
  let sealing: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    sealing ??= sealAuditLogs(context)
      .catch((error: unknown) => errors.log(error, 'audit events could not be sealed'))
      .finally(() => {
        sealing = undefined;
      });
  }, interval).unref();
  return {
    async close(timeout) {
      clearInterval(timer);
      errors.close();
      if (sealing) await waitAtMost(timeout, sealing);
    },
  };
}
