import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { Webhook } from '../../schema/entities/webhook.ts';
import { WebhookDelivery } from '../../schema/entities/webhook-delivery.ts';
import { newId } from '../../schema/ids.ts';
import { HttpUrl } from '../../schema/json/http-url.ts';
import { text } from '../../schema/json/text.ts';
import { columnsOf } from '../../schema/rows.ts';
import { organizationProcedure } from '../access/procedures.ts';
import { Removal } from '../base/common-schemas.ts';
import type { Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import { router } from '../base/trpc.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import type { WEBHOOK_ACTIONS } from '../events/audit-event.ts';
import { EVENT_TYPES } from '../events/events.api.ts';
import { recordAuditedAction } from '../events/record.operation.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { deleteRows } from '../sql/delete-rows.ts';
import { lockRow } from '../sql/lock-row.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { queueMessages, REVALIDATION, replayDelivery } from './delivery.operation.ts';
import { revalidationBody } from './revalidation.ts';
import { route } from './route.ts';
import { SECRET_PURPOSE } from './secrets.ts';
import { newSigningSecret } from './signature.ts';
import {
  presentDelivery,
  presentWebhook,
  WebhookDeliveryObject,
  WebhookFormat,
  WebhookObject,
  WebhookWithSecret,
} from './webhooks.api.ts';
import { readDelivery, webhookProcedure } from './webhooks.procedures.ts';

/** The maximum of webhooks of one organization. */
const MAX_WEBHOOKS = 100;

const fields = {
  url: HttpUrl.describe('The URL that events are posted to. Redirects are not followed.'),
  description: text({ max: 255 }).describe('A short description of its purpose.'),
  types: z
    .array(z.enum(EVENT_TYPES))
    .max(EVENT_TYPES.length)
    .describe('The types of events to send; empty for all, including types added in the future.'),
  space: z.string().nullable().describe('The id of the only space whose events are sent; null for all.'),
};

export const webhooksRouter = router({
  list: organizationProcedure('viewWebhooks')
    .meta(
      route.get('/orgs/{organizationId}/webhooks', 'List the webhooks of an organization', 'listWebhooks', {
        description: 'Lists the webhooks, newest first, without their secrets.',
      }),
    )
    .input(z.object(paging))
    .output(listOf(WebhookObject))
    .query(async ({ ctx, input }) => {
      const listed = ctx.db.selectFrom('webhook').where('organization_id', '=', ctx.organization.id);
      return readPage(ctx, input, {
        rows: listed.select(columnsOf(Webhook)),
        order: [{ column: 'webhook.id', direction: 'desc', of: (row) => row.id }],
        present: presentWebhook,
      });
    }),

  create: organizationProcedure('admin')
    .meta(
      route.post('/orgs/{organizationId}/webhooks', 'Create a webhook', 'createWebhook', {
        success: 201,
        description:
          'Events are posted as JSON, signed according to Standard Webhooks. Each is retried until the receiver responds with 2xx, for up to three days; `webhook-id` is the same in every attempt.',
      }),
    )
    .input(
      z.object({
        url: fields.url.describe('The URL that events are sent to.'),
        description: fields.description.default('').describe('A short description of its purpose.'),
        types: fields.types.default([]).describe('The types of events to send; all by default.'),
        space: fields.space
          .optional()
          .describe('The id of the only space whose events are sent; all by default.'),
        format: WebhookFormat.default('event').describe('What is sent.'),
      }),
    )
    .output(WebhookWithSecret)
    .mutation(async ({ ctx, input }) => {
      const { organizationId: organization, url, description, types, space, format } = input;
      const { em, db, services } = ctx;
      requireReceiver(services, url);
      await lockOrganizations(db, organization);
      await requireSpaceIn(db, organization, space);
      const { count } = await db
        .selectFrom('webhook')
        .select((eb) => eb.fn.countAll<string>().as('count'))
        .where('organization_id', '=', organization)
        .executeTakeFirstOrThrow();
      if (Number(count) >= MAX_WEBHOOKS)
        throw new DomainError('conflict', `An organization can have at most ${MAX_WEBHOOKS} webhooks.`);
      const secret = newSigningSecret();
      const webhook = em.create(Webhook, {
        organization,
        url,
        description,
        types: [...new Set(types)],
        space,
        format,
        enabled: true,
        secret: services.signer.seal(SECRET_PURPOSE, secret),
      });
      await em.flush();
      await recordWebhook(em, 'webhook.created', webhook);
      return { ...presentWebhook(webhook), secret };
    }),

  get: webhookProcedure('viewWebhooks')
    .meta(
      route.get('/orgs/{organizationId}/webhooks/{webhookId}', 'Get a webhook', 'getWebhook', {
        description: 'Returns the webhook without its secret.',
      }),
    )
    .output(WebhookObject)
    .query(({ ctx }) => presentWebhook(ctx.webhook)),

  update: webhookProcedure('admin')
    .meta(
      route.patch('/orgs/{organizationId}/webhooks/{webhookId}', 'Update a webhook', 'updateWebhook', {
        description: 'Changes only the fields that are sent.',
      }),
    )
    .input(z.object({ ...fields, enabled: z.boolean().describe('Whether events are sent.') }).partial())
    .output(WebhookObject)
    .mutation(async ({ ctx, input: { url, description, types, space, enabled } }) => {
      const { em, db, organization, services } = ctx;
      if (url !== undefined) requireReceiver(services, url);
      await requireSpaceIn(db, organization.id, space);
      const webhook = await lockRow(em, Webhook, ctx.webhook.id, 'webhook');
      em.assign(webhook, {
        ...(url !== undefined && { url }),
        ...(description !== undefined && { description }),
        ...(types !== undefined && { types: [...new Set(types)] }),
        ...(space !== undefined && { space }),
        ...(enabled !== undefined && { enabled }),
      });
      await em.flush();
      await recordWebhook(em, 'webhook.updated', webhook);
      return presentWebhook(webhook);
    }),

  delete: webhookProcedure('admin')
    .meta(
      route.delete('/orgs/{organizationId}/webhooks/{webhookId}', 'Delete a webhook', 'deleteWebhook', {
        description: 'Also deletes its deliveries, including those that are still pending.',
      }),
    )
    .output(Removal)
    .mutation(async ({ ctx: { em, db, webhook } }) => {
      const removed = (await deleteRows(db, 'webhook', { id: webhook.id })) > 0;
      if (removed) await recordWebhook(em, 'webhook.deleted', webhook);
      return { removed };
    }),

  rotateSecret: webhookProcedure('admin')
    .meta(
      route.post(
        '/orgs/{organizationId}/webhooks/{webhookId}/rotate-secret',
        'Replace the secret of a webhook',
        'rotateWebhookSecret',
        { description: 'For a day, deliveries are signed with both the old and the new secret.' },
      ),
    )
    .output(WebhookWithSecret)
    .mutation(async ({ ctx }) => {
      const { em, services } = ctx;
      const webhook = await lockRow(em, Webhook, ctx.webhook.id, 'webhook');
      const secret = newSigningSecret();
      em.assign(webhook, {
        previousSecret: webhook.secret,
        rotatedAt: new Date(),
        secret: services.signer.seal(SECRET_PURPOSE, secret),
      });
      await em.flush();
      await recordWebhook(em, 'webhook.secret.rotated', webhook);
      return { ...presentWebhook(webhook), secret };
    }),

  test: webhookProcedure('admin')
    .meta(
      route.post(
        '/orgs/{organizationId}/webhooks/{webhookId}/test',
        'Send a test delivery to a webhook',
        'testWebhook',
        {
          success: 201,
          description:
            'Sends an event of the type `webhook.test`, or with the format `revalidate` an empty list of tags.',
        },
      ),
    )
    .output(WebhookDeliveryObject)
    .mutation(async ({ ctx }) => {
      const { db, organization, webhook, services } = ctx;
      const isEvent = webhook.format === 'event';
      const type = isEvent ? 'webhook.test' : REVALIDATION;
      const event = {
        object: 'event',
        id: newId(),
        type: 'webhook.test',
        createdAt: new Date().toISOString(),
        organization: organization.id,
        actor: ctx.actor.user.id,
        webhook: webhook.id,
      };
      const payload = isEvent ? JSON.stringify(event) : revalidationBody([]);
      const [delivery] = await queueMessages(db, services, [{ type, payload, webhooks: [webhook.id] }]);
      if (delivery === undefined) throw notFound('webhook');
      return presentDelivery(await readDelivery(db, webhook.id, delivery));
    }),

  listDeliveries: webhookProcedure('viewWebhooks')
    .meta(
      route.get(
        '/orgs/{organizationId}/webhooks/{webhookId}/deliveries',
        'List the deliveries of a webhook',
        'listWebhookDeliveries',
        { description: 'Lists recent deliveries and their last responses, newest first.' },
      ),
    )
    .input(z.object(paging))
    .output(listOf(WebhookDeliveryObject))
    .query(async ({ ctx, input }) => {
      const listed = ctx.db.selectFrom('webhook_delivery').where('webhook_id', '=', ctx.webhook.id);
      return readPage(ctx, input, {
        rows: listed.select(columnsOf(WebhookDelivery)),
        order: [{ column: 'webhook_delivery.id', direction: 'desc', of: (row) => row.id }],
        present: presentDelivery,
      });
    }),

  replay: webhookProcedure('admin')
    .meta(
      route.post(
        '/orgs/{organizationId}/webhooks/{webhookId}/deliveries/{deliveryId}/replay',
        'Send a delivery again',
        'replayWebhookDelivery',
        { description: 'Uses the same id. Fails with 409 if the delivery is still waiting for an attempt.' },
      ),
    )
    .input(z.object({ deliveryId: z.string().describe('The id of the delivery.') }))
    .output(WebhookDeliveryObject)
    .mutation(async ({ ctx, input }) => {
      const { db, webhook, services } = ctx;
      const delivery = await readDelivery(db, webhook.id, input.deliveryId);
      await replayDelivery(db, services, { ...delivery, organization: webhook.organization });
      return presentDelivery(await readDelivery(db, webhook.id, delivery.id));
    }),
});

/** Records what was done to a webhook in the audit log: with its host only, since its URL may contain a secret. */
const recordWebhook = (
  em: SqlEntityManager,
  action: (typeof WEBHOOK_ACTIONS)[number],
  { id, organization, url }: { id: string; organization: string; url: string },
) =>
  recordAuditedAction(em, organization, {
    action,
    targetType: 'webhook',
    target: id,
    payload: { webhook: id, host: new URL(url).host },
  });

/** @throws DomainError `invalid` for a URL that the service must not access */
function requireReceiver({ outbound }: Services, url: string): void {
  const refusal = outbound.problemWithUrl(url);
  // guard: webhook-create-private
  if (refusal === undefined) return;
  throw new DomainError('invalid', refusal, [{ path: 'url', message: refusal }]);
}

/** @throws DomainError `not-found` for a space that is not in the organization */
async function requireSpaceIn(db: Db, organization: string, space: string | null | undefined): Promise<void> {
  if (space === null || space === undefined) return;
  const found = await db
    .selectFrom('space')
    .select('id')
    .where('id', '=', space)
    .where('organization_id', '=', organization)
    .where('deleted_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst();
  if (!found) throw notFound('space');
}
