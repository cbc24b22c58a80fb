import { z } from 'zod';
import { operatorProcedure, router } from '../base/trpc.ts';
import { INSTALLATION_LOG } from '../events/audit-event.ts';
import { recordAuditedAction } from '../events/record.operation.ts';
import { rotateSecret } from './secret.operation.ts';

export const installationSecretRouter = router({
  /** Replaces the secret that signs what clients send back. Running processes use the old one until they are restarted. */
  rotate: operatorProcedure.output(z.object({ rotatedAt: z.string() })).mutation(async ({ ctx: { em } }) => {
    await rotateSecret(em);
    await recordAuditedAction(em, INSTALLATION_LOG, {
      action: 'secret.rotated',
      targetType: 'installation',
      target: INSTALLATION_LOG,
      payload: {},
    });
    return { rotatedAt: new Date().toISOString() };
  }),
});
