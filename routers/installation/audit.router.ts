import { z } from 'zod';
import { presentAuditEventDetails } from '../audit/audit-events.api.ts';
import { auditFilters, streamAuditEvents } from '../audit/audit-events.query.ts';
import { readAuditLogs, type Verification, verifyAuditLog } from '../audit/verify.query.ts';
import { operatorJobProcedure, router } from '../base/trpc.ts';
import { DomainError } from '../engine/errors.ts';
import { INSTALLATION_LOG } from '../events/audit-event.ts';
import { lookUpOrganization } from './lookup.operation.ts';

const Log = {
  organization: z.string().optional().describe('The id or title of an organization, or `installation`.'),
};

const Anchor = z.object({ number: z.number().int().min(0), hash: z.string() });

type EntityManager = Parameters<typeof lookUpOrganization>[0];

/** The named log, or all logs. */
async function logsOf(
  ctx: {
    db: Parameters<typeof readAuditLogs>[0];
    transaction: <R>(work: (em: EntityManager) => Promise<R>) => Promise<R>;
  },
  organization: string | undefined,
): Promise<string[]> {
  if (organization === undefined) return readAuditLogs(ctx.db);
  if (organization === INSTALLATION_LOG) return [INSTALLATION_LOG];
  return [await ctx.transaction(async (em) => (await lookUpOrganization(em, organization)).id)];
}

export const installationAuditRouter = router({
  /** Verifies the sealed events of one log, or of all. */
  verify: operatorJobProcedure
    .input(
      z.object({
        ...Log,
        anchor: Anchor.optional().describe('The number and hash of an event that an earlier run reported.'),
        onProgress: z.custom<(progress: { log: string; done: number; total: number }) => void>().optional(),
      }),
    )
    .output(z.custom<Verification[]>())
    .query(async ({ ctx, input: { organization, anchor, onProgress } }) => {
      const logs = await logsOf(ctx, organization);
      if (anchor && logs.length !== 1)
        throw new DomainError('invalid', 'An anchor belongs to one log: name its organization.');
      const verified: Verification[] = [];
      for (const log of logs) {
        const report = onProgress && ((done: number, total: number) => onProgress({ log, done, total }));
        verified.push(
          await verifyAuditLog(ctx.db, log, {
            ...(anchor && { anchor }),
            ...(report && { onProgress: report }),
          }),
        );
      }
      return verified;
    }),

  /** Streams the events of one log, or of all. */
  export: operatorJobProcedure
    .input(z.object({ ...Log, ...auditFilters }))
    .output(z.custom<AsyncIterable<object>>())
    .query(async ({ ctx, input: { organization, ...filters } }) => {
      const logs = await logsOf(ctx, organization);
      async function* events() {
        for (const log of logs)
          for await (const row of streamAuditEvents(ctx.db, log, filters))
            yield { log, ...presentAuditEventDetails(row, ctx.services) };
      }
      return events();
    }),
});
