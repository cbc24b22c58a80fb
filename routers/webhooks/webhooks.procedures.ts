import { z } from 'zod';
import { Webhook } from '../../schema/entities/webhook.ts';
import { WebhookDelivery } from '../../schema/entities/webhook-delivery.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import { organizationProcedure } from '../access/procedures.ts';
import type { Db } from '../base/db.ts';
import { notFound } from '../engine/errors.ts';

/** A procedure about one webhook of an organization: loads it as `ctx.webhook`. */
export const webhookProcedure = (permission: 'viewWebhooks' | 'admin') =>
  organizationProcedure(permission)
    .input(z.object({ webhookId: z.string().describe('The id of the webhook.') }))
    .use(async ({ ctx, input, next }) => {
      const webhook = await ctx.db
        .selectFrom('webhook')
        .select(columnsOf(Webhook))
        .where('id', '=', input.webhookId)
        // guard: webhook-of-organization
        .where('organization_id', '=', ctx.organization.id)
        .executeTakeFirst();
      if (!webhook) throw notFound('webhook');
      return next({ ctx: { webhook } });
    });

/** @throws DomainError `not-found` */
export async function readDelivery(db: Db, webhook: string, id: string): Promise<Row<WebhookDelivery>> {
  const delivery = await db
    .selectFrom('webhook_delivery')
    .select(columnsOf(WebhookDelivery))
    .where('id', '=', id)
    .where('webhook_id', '=', webhook)
    .executeTakeFirst();
  if (!delivery) throw notFound('delivery');
  return delivery;
}
