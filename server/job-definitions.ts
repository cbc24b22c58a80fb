import type { Queue, WorkOptions } from 'pg-boss';
import { removeOldAuditEvents } from '../routers/audit/retention.operation.ts';
import { removeExpiredSecrets } from '../routers/auth/one-time-tokens.operation.ts';
import type { Context } from '../routers/base/context.ts';
import type { Jobs } from '../routers/base/ports.ts';
import { recordEarlierConditions } from '../routers/conditions/backfill.operation.ts';
import { collectGarbage } from '../routers/content/garbage.operation.ts';
import { describeClusters } from '../routers/conversations/describe-clusters.operation.ts';
import { extractIssues } from '../routers/conversations/extraction.operation.ts';
import { fetchEmbed, removeOldEmbeds } from '../routers/embeds/embeds.operation.ts';
import { removeOldEvents } from '../routers/events/retention.operation.ts';
import { checkCustomHostname } from '../routers/hostnames/hostname-check.operation.ts';
import { checkProxy } from '../routers/hostnames/proxy-check.operation.ts';
import { recheckHostnames } from '../routers/hostnames/recheck.operation.ts';
import { makePdf } from '../routers/pdf/make.operation.ts';
import { removeOldPdfs } from '../routers/pdf/retention.operation.ts';
import { collectSearchGarbage } from '../routers/search/garbage.operation.ts';
import { indexEarlierSpaces, indexSpaces } from '../routers/search/index-spaces.operation.ts';
import { mergeSegments } from '../routers/search/merge-segments.operation.ts';
import { removeDeletedSpaces } from '../routers/spaces/removal.operation.ts';
import { describeEarlierSpecs } from '../routers/specs/backfill.operation.ts';
import { processSpec, refreshDueSpecs } from '../routers/specs/processing.operation.ts';
import { removeUnusedTranslations } from '../routers/translations/memory.operation.ts';
import { runTranslation } from '../routers/translations/run.operation.ts';
import { refreshTranslations } from '../routers/translations/translations.operation.ts';
import { removeOldDeliveries } from '../routers/webhooks/retention.operation.ts';
import { sendMail } from './auth/mails.ts';
import type { WebhookSender } from './webhooks/webhook-sender.ts';

export interface JobDefinition<Name extends keyof Jobs> {
  /** The handler. */
  run(data: Jobs[Name], context: Context, sender: WebhookSender): Promise<void>;
  /** When it runs by itself, as a cron expression in UTC. */
  schedule?: string;
  /** Whether it also runs when a process starts, because an update of the service may have left work for it. */
  atStart?: boolean;
  /** Its options. They are updated in existing installations, except for those that a queue keeps for ever. */
  queue?: Omit<Queue, 'name' | 'policy' | 'partition'>;
  work?: WorkOptions;
}

/** DNS checks mostly wait for name servers, so many run at once, but not all for one organization. */
const DNS_CHECKS = {
  queue: { deleteAfterSeconds: 3600 },
  work: { batchSize: 1, localConcurrency: 8, localGroupConcurrency: 4 },
} as const;
const PROCESSING_QUEUE: Omit<Queue, 'name'> = {
  notify: true,
  // Longer than fetching and bundling may take; if the process is killed, the missing heartbeat shows far earlier.
  expireInSeconds: 1800,
  heartbeatSeconds: 10,
  // Problems of the input are a result of the job: only an outage makes it fail.
  retryLimit: 1000,
  retryDelay: 5,
  retryBackoff: true,
  retryDelayMax: 600,
  deleteAfterSeconds: 3600,
};

/** It can take hours in large installations, and must not be begun again meanwhile. */
const MAINTENANCE: Omit<Queue, 'name'> = { expireInSeconds: 6 * 3600 };

const PROCESSING_WORK: WorkOptions = { batchSize: 1, notifyPollingIntervalSeconds: 3 };

/** Indexing a large import takes minutes; if the process is killed, the missing heartbeat shows far earlier. */
const SEARCH_QUEUE: Omit<Queue, 'name'> = {
  notify: true,
  expireInSeconds: 7200,
  heartbeatSeconds: 10,
  retryLimit: 20,
  retryDelay: 5,
  retryBackoff: true,
  retryDelayMax: 600,
  deleteAfterSeconds: 60,
};

/** All jobs. */
export const JOB_DEFINITIONS: { [Name in keyof Jobs]: JobDefinition<Name> } = {
  'remove-deleted-spaces': {
    run: (_, context) => removeDeletedSpaces(context),
    queue: MAINTENANCE,
    schedule: '17 * * * *',
  },
  'collect-garbage': {
    run: async (_, context) => {
      await collectGarbage(context);
    },
    queue: MAINTENANCE,
    schedule: '41 3 * * *',
  },
  'record-earlier-conditions': {
    run: (_, context) => recordEarlierConditions(context),
    queue: MAINTENANCE,
    schedule: '53 * * * *',
    atStart: true,
  },
  'describe-earlier-specs': {
    run: (_, context) => describeEarlierSpecs(context),
    queue: MAINTENANCE,
    schedule: '11 * * * *',
    atStart: true,
  },
  'check-custom-hostname': { run: (claim, context) => checkCustomHostname(context, claim), ...DNS_CHECKS },
  'check-proxy': { run: ({ site }, context) => checkProxy(context, site), ...DNS_CHECKS },
  'recheck-hostnames': { run: (_, context) => recheckHostnames(context), schedule: '*/10 * * * *' },
  'fetch-embed': {
    run: (data, context) => fetchEmbed(context, data),
    queue: { notify: true, expireInSeconds: 60, deleteAfterSeconds: 3600 },
    // Slow servers hold up only the organization that embeds them.
    work: { localConcurrency: 4, localGroupConcurrency: 2, batchSize: 1, notifyPollingIntervalSeconds: 3 },
  },
  'remove-old-embeds': { run: (_, context) => removeOldEmbeds(context), schedule: '7 4 * * *' },
  'index-for-search': {
    run: async ({ organization }, context) => {
      await indexSpaces(context, organization);
    },
    queue: SEARCH_QUEUE,
    work: { localConcurrency: 2, localGroupConcurrency: 1, batchSize: 1, notifyPollingIntervalSeconds: 3 },
  },
  'merge-search-segments': {
    run: ({ organization }, context) => mergeSegments(context, organization),
    queue: SEARCH_QUEUE,
    work: { localConcurrency: 1, batchSize: 1, notifyPollingIntervalSeconds: 3 },
  },
  'index-earlier-spaces': {
    run: (_, context) => indexEarlierSpaces(context),
    queue: MAINTENANCE,
    schedule: '*/10 * * * *',
    atStart: true,
  },
  'collect-search-garbage': {
    run: async (_, context) => {
      await collectSearchGarbage(context);
    },
    queue: MAINTENANCE,
    schedule: '23 4 * * *',
  },
  'send-mail': {
    run: (data, context) => sendMail(context, data),
    // No mail is lost if the mail server is down for a night.
    queue: {
      notify: true,
      retryLimit: 50,
      retryDelay: 10,
      retryBackoff: true,
      retryDelayMax: 1800,
      expireInSeconds: 120,
    },
    work: { batchSize: 1, localConcurrency: 2, localGroupConcurrency: 1, notifyPollingIntervalSeconds: 3 },
  },
  'make-pdf': {
    run: ({ pdf }, context) => makePdf(context, pdf),
    // Attempts are counted in the row of the PDF.
    queue: { ...PROCESSING_QUEUE, expireInSeconds: 3600 },
    // One for each organization in all processes; if two take one at the same time, the second is deferred.
    work: { ...PROCESSING_WORK, localConcurrency: 2, groupConcurrency: 1 },
  },
  'remove-old-pdfs': { run: (_, context) => removeOldPdfs(context), schedule: '19 * * * *' },
  'remove-expired-secrets': { run: (_, context) => removeExpiredSecrets(context), schedule: '33 * * * *' },
  'remove-old-events': {
    run: async (_, context) => {
      await removeOldEvents(context);
      await removeOldDeliveries(context);
      await removeOldAuditEvents(context);
    },
    schedule: '29 * * * *',
  },
  'process-openapi-spec': {
    run: (data, context) => processSpec(context, data),
    queue: PROCESSING_QUEUE,
    work: { ...PROCESSING_WORK, localConcurrency: 2, localGroupConcurrency: 1 },
  },
  'fetch-openapi-spec': {
    run: (data, context) => processSpec(context, data),
    queue: PROCESSING_QUEUE,
    // Slow servers hold up only the jobs of their organization.
    work: { ...PROCESSING_WORK, localConcurrency: 8, localGroupConcurrency: 2 },
  },
  'extract-issues': {
    run: (data, context) => extractIssues(context, data),
    // A model takes a second or more for each conversation.
    queue: { ...PROCESSING_QUEUE, expireInSeconds: 6 * 3600 },
    work: { ...PROCESSING_WORK, localConcurrency: 2, localGroupConcurrency: 1 },
  },
  'describe-clusters': {
    run: (data, context) => describeClusters(context, data),
    // Until it succeeds, clusters are named after one of their issues.
    queue: { ...PROCESSING_QUEUE, expireInSeconds: 3 * 3600, retryLimit: 8 },
    work: { ...PROCESSING_WORK, localConcurrency: 2, localGroupConcurrency: 1 },
  },
  'remove-unused-translations': {
    run: (_, context) => removeUnusedTranslations(context),
    schedule: '47 4 * * *',
  },
  'run-translation': {
    run: (data, context) => runTranslation(context, data),
    // Engines are slow: a large space may take hours.
    queue: { ...PROCESSING_QUEUE, expireInSeconds: 12 * 3600 },
    work: { ...PROCESSING_WORK, localConcurrency: 4, localGroupConcurrency: 1 },
  },
  'refresh-translations': {
    run: (data, context) => refreshTranslations(context, data),
    queue: PROCESSING_QUEUE,
  },
  'refresh-openapi-specs': { run: (_, context) => refreshDueSpecs(context), schedule: '* * * * *' },
  'deliver-webhook': {
    // The job only triggers sending: deliveries are rows, leased by the process that sends them.
    run: async ({ webhook, organization }, _, sender) => sender.send(webhook, organization),
    queue: { notify: true, deleteAfterSeconds: 60 },
    work: { batchSize: 100 },
  },
};
