import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge, Histogram, type Registry } from 'prom-client';
import type { Logger } from '../routers/base/context.ts';
import type { Db } from '../routers/base/db.ts';
import { readBacklog } from '../routers/webhooks/attempts.operation.ts';
import type { JobCounts, JobRunner } from './jobs.ts';
import type { ObservableMeasurements } from './measurements.ts';

/** Time limit for reading the database, in milliseconds: scrapers do not wait much longer than that. */
const READ_TIMEOUT = 2000;

/** How long a reading of the database is reused, in milliseconds, so that frequent scrapes cost nothing. */
const CACHE_TIME = 5000;

export interface WorkSources {
  measurements: ObservableMeasurements;
  jobs: Pick<JobRunner, 'counts'>;
  db: Db;
  logger: Logger;
}

/** The histogram for each kind of work that is measured. */
const WORK = {
  merge: {
    name: 'change_request_merge_duration_seconds',
    help: 'Duration of merges of change requests.',
    labelNames: ['outcome'],
  },
  import: {
    name: 'import_duration_seconds',
    help: 'Duration of imports.',
    labelNames: ['outcome'],
  },
  job: {
    name: 'job_duration_seconds',
    help: 'Duration of background jobs.',
    labelNames: ['queue', 'outcome'],
  },
  'webhook-attempt': {
    name: 'webhook_attempt_duration_seconds',
    help: 'Duration of attempts to deliver events to webhooks.',
    labelNames: ['outcome'],
  },
} as const;

/** Measures the merges, imports, jobs and deliveries of this process, and what waits for any process. */
export function measureWork(registry: Registry, { measurements, ...source }: WorkSources): void {
  const registers = [registry];
  const buckets = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 1800];
  const entries = Object.entries(WORK).map(
    ([work, metric]) => [work, new Histogram<string>({ ...metric, buckets, registers })] as const,
  );
  const durations = new Map<string, Histogram<string>>(entries);
  measurements.observe(({ work, ...labels }, seconds) => durations.get(work)?.observe(labels, seconds));
  const read = queueStateReader(source);
  const gauge = (
    { name, help, labelNames = [] }: { name: string; help: string; labelNames?: string[] },
    set: (gauge: Gauge<string>, state: QueueState) => void,
  ) =>
    new Gauge<string>({
      name,
      help,
      registers,
      labelNames,
      async collect() {
        this.reset();
        const state = await read();
        if (state) set(this, state);
        // Resetting a gauge without labels sets it to 0, which would be wrong: nothing is known.
        else if (labelNames.length === 0) this.remove();
      },
    });
  new Gauge({
    name: 'database_up',
    help: 'Whether the database responded in time when these metrics were read.',
    registers,
    async collect() {
      this.set((await read()) ? 1 : 0);
    },
  });
  gauge(
    {
      name: 'jobs',
      help: 'Background jobs of all processes, counted within the last minute.',
      labelNames: ['queue', 'state'],
    },
    (jobs, { counts }) => {
      for (const { queue, ...states } of counts)
        for (const [state, count] of Object.entries(states)) jobs.set({ queue, state }, count);
    },
  );
  gauge(
    {
      name: 'webhook_deliveries_pending',
      help: 'Deliveries that wait for an attempt; at most 10000 are counted.',
    },
    (pending, { backlog }) => pending.set(backlog.waiting),
  );
  gauge(
    { name: 'webhook_delivery_lag_seconds', help: 'How long the oldest delivery has been due.' },
    (lag, { backlog }) => lag.set(backlog.lag),
  );
}

async function rejectAfter(milliseconds: number): Promise<never> {
  await sleep(milliseconds, undefined, { ref: false });
  throw new Error(`The database did not respond within ${milliseconds / 1000} seconds.`);
}

interface QueueState {
  counts: JobCounts[];
  backlog: { waiting: number; lag: number };
}

/** Makes a function that reads the state of the queues, cached for a while; undefined while the database is down. */
function queueStateReader({
  jobs,
  db,
  logger,
}: Omit<WorkSources, 'measurements'>): () => Promise<QueueState | undefined> {
  let last: { time: number; reading: Promise<QueueState | undefined> } | undefined;
  const readNow = async (): Promise<QueueState | undefined> => {
    try {
      const reading = Promise.all([jobs.counts(), readBacklog(db)]);
      const [counts, backlog] = await Promise.race([reading, rejectAfter(READ_TIMEOUT)]);
      return { counts, backlog };
    } catch (error) {
      logger.warn({ err: error }, 'metrics of the database could not be read');
      return undefined;
    }
  };
  return () => {
    if (!last || Date.now() - last.time > CACHE_TIME) last = { time: Date.now(), reading: readNow() };
    return last.reading;
  };
}
