import type pg from 'pg';
import { fromKysely, PgBoss, type Queue, type QueueResult } from 'pg-boss';
import type { Context, Logger } from '../routers/base/context.ts';
import type { Db } from '../routers/base/db.ts';
import { measure } from '../routers/base/measure.ts';
import type { Job, JobQueue, Jobs } from '../routers/base/ports.ts';
import type { Connection } from '../schema/orm.config.ts';
import { type AuditSealer, openAuditSealer } from './audit-sealer.ts';
import { JOB_DEFINITIONS, type JobDefinition } from './job-definitions.ts';
import { withoutWorker } from './queue-error.ts';
import { openRepeatedErrors, type RepeatedErrors } from './repeated-errors.ts';
import { waitAtMost } from './shutdown.ts';
import type { Tracing } from './tracing/tracing.ts';
import { openWebhookSender, type WebhookSender } from './webhooks/webhook-sender.ts';

const JOB_NAMES = Object.keys(JOB_DEFINITIONS) as (keyof Jobs)[];

/** Whether there is a job with this name. */
export const isJob = (name: string): name is keyof Jobs => Object.hasOwn(JOB_DEFINITIONS, name);

/** Time limit for a statement of the queues, in milliseconds; beyond it, the connection is dropped. */
const QUERY_TIMEOUT = 60_000;

/** How often to look for jobs of processes that were killed, in seconds. */
const SUPERVISION_INTERVAL = 15;

/**
 * How long after the last sign of life of its process a job counts as failed, in seconds, unless a queue says less. It is noticed
 * up to {@link SUPERVISION_INTERVAL} later.
 */
const HEARTBEAT = 30;

/** Time limit for closing the queues after the jobs have ended, in milliseconds, even if the database hangs. */
const CLOSE_MARGIN = 500;

/** The number of jobs in one queue by state, up to a minute old. `failed` jobs will not be retried. */
export interface JobCounts {
  queue: string;
  ready: number;
  deferred: number;
  active: number;
  failed: number;
}

export interface JobRunner extends JobQueue {
  /** The jobs of all processes, as last counted by a service. */
  counts(): Promise<JobCounts[]>;
  /** Starts running jobs in this process. */
  work(context: Context): Promise<void>;
  /** Waits for running jobs, for at most `timeout` milliseconds. */
  close(timeout?: number): Promise<void>;
}

/** Opens the job queues, which live in the schema `pgboss` of the same database. */
export async function openJobs(
  connection: Connection,
  logger: Logger,
  tracing?: Tracing,
): Promise<JobRunner> {
  const runner = new PgBossRunner(connection, logger, tracing);
  await runner.start();
  return runner;
}

class PgBossRunner implements JobRunner {
  readonly #boss: PgBoss;
  readonly #logger: Logger;
  readonly #tracing: Tracing | undefined;
  readonly #errors: RepeatedErrors;
  #sender: WebhookSender | undefined;
  #sealer: AuditSealer | undefined;
  #closing: Promise<unknown> | undefined;

  constructor(connection: Connection, logger: Logger, tracing: Tracing | undefined) {
    this.#logger = logger;
    this.#tracing = tracing;
    this.#errors = openRepeatedErrors(logger, 'error');
    // It uses the driver's own pool, with all of its settings.
    const settings: pg.PoolConfig = { keepAlive: true, query_timeout: QUERY_TIMEOUT };
    this.#boss = new PgBoss({
      ...connection,
      ...settings,
      max: 2,
      // So that webhook deliveries start at once.
      useListenNotify: true,
      superviseIntervalSeconds: SUPERVISION_INTERVAL,
      monitorIntervalSeconds: SUPERVISION_INTERVAL,
      application_name: 'colophon jobs',
    } as object);
    this.#boss.on('error', (error) => {
      const err = withoutWorker(error);
      // While closing, connections end on purpose.
      if (this.#closing) logger.debug({ err }, 'job queue');
      else this.#errors.log(err, 'job queue');
    });
  }

  async start(): Promise<void> {
    await this.#boss.start();
    const known = new Map((await this.#boss.getQueues()).map((queue) => [queue.name, queue]));
    for (const name of JOB_NAMES) {
      const options = { heartbeatSeconds: HEARTBEAT, ...JOB_DEFINITIONS[name].queue };
      const queue = known.get(name);
      // Creating a queue that exists, for example one of an earlier version, leaves its options as they are.
      if (!queue) await this.#boss.createQueue(name, options);
      else if (differs(queue, options)) await this.#boss.updateQueue(name, options);
    }
  }

  async enqueue<Name extends keyof Jobs>(db: Db, name: Name, ...jobs: Job<Name>[]): Promise<void> {
    const rows = jobs.map(({ data, group, priority, delay }) => ({
      data,
      ...(delay !== undefined && { startAfter: delay }),
      ...(priority !== undefined && { priority }),
      ...(group !== undefined && { group: { id: group } }),
    }));
    await this.#boss.insert(name, rows, { db: fromKysely(db) });
  }

  async counts(): Promise<JobCounts[]> {
    const queues = await this.#boss.getQueues();
    // The library also has queues of its own.
    const own = queues.filter(({ name }) => name in JOB_DEFINITIONS);
    return own.map(({ name, readyCount, deferredCount, activeCount, failedCount }) => ({
      queue: name,
      ready: readyCount,
      deferred: deferredCount,
      active: activeCount,
      failed: failedCount,
    }));
  }

  async work(context: Context): Promise<void> {
    this.#sender = openWebhookSender(context);
    this.#sealer = openAuditSealer(context);
    for (const name of JOB_NAMES) await this.#workOn(name, context, this.#sender);
  }

  async close(timeout = 3000): Promise<void> {
    this.#closing ??= Promise.all([
      this.#boss.stop({ graceful: true, timeout }),
      this.#sender?.close(timeout),
      this.#sealer?.close(timeout),
    ]);
    this.#errors.close();
    await waitAtMost(timeout + CLOSE_MARGIN, this.#closing);
  }

  async #workOn<Name extends keyof Jobs>(name: Name, context: Context, sender: WebhookSender): Promise<void> {
    const { run, schedule, atStart, work }: JobDefinition<Name> = JOB_DEFINITIONS[name];
    const options = { batchSize: 2, burstWhenBatchFull: true, ...work };
    await this.#boss.work<Jobs[Name]>(name, options, async (jobs) => {
      const results = await Promise.allSettled(
        jobs.map(({ data }) => this.#run(name, context, () => run(data, context, sender))),
      );
      const failure = results.find((result) => result.status === 'rejected');
      if (failure) throw failure.reason;
    });
    if (schedule) await this.#boss.schedule(name, schedule);
    if (atStart) await this.#boss.send(name, {});
  }

  /** Runs a job, traces and measures it, and logs its error: the queue retries it without doing so. */
  async #run(name: keyof Jobs, { services }: Context, run: () => Promise<void>): Promise<void> {
    const attributes = { 'messaging.system': 'pg-boss', 'messaging.destination.name': name };
    const runTraced = async () => {
      await (this.#tracing?.span(`job ${name}`, 'consumer', attributes, run) ?? run());
      return true;
    };
    try {
      await measure(services.measurements, runTraced, (isDone) => ({
        work: 'job',
        queue: name,
        outcome: isDone ? 'completed' : 'failed',
      }));
    } catch (error) {
      this.#logger[this.#closing ? 'warn' : 'error']({ err: error, job: name }, 'a job failed');
      throw error;
    }
  }
}

const differs = (queue: QueueResult, options: Omit<Queue, 'name'>): boolean =>
  Object.entries(options).some(([option, value]) => queue[option as keyof QueueResult] !== value);
