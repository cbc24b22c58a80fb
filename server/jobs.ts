import type pg from 'pg';
import { fromKysely, PgBoss } from 'pg-boss';
import { collectGarbage } from '../routers/content/garbage.operation.ts';
import type { Context, Logger } from '../routers/context.ts';
import type { JobQueue, Jobs } from '../routers/ports.ts';
import { removeExpiredSpaces } from '../routers/spaces/removal.operation.ts';
import type { Connection } from '../schema/orm.config.ts';
import { atMost } from './shutdown.ts';

/** The handler of each job, and its schedule (cron, UTC), if any. Declared once, run in every process. */
interface Worker<Name extends keyof Jobs> {
  run(data: Jobs[Name], context: Context): Promise<void>;
  schedule?: string;
}

const WORKERS: { [Name in keyof Jobs]: Worker<Name> } = {
  'remove-deleted-spaces': { run: (_, context) => removeExpiredSpaces(context), schedule: '17 * * * *' },
  'collect-garbage': {
    run: async (_, context) => {
      await collectGarbage(context);
    },
    schedule: '41 3 * * *',
  },
};

/** Time limit for a statement of the queues, in milliseconds; beyond it, the connection is dropped. */
const QUERY_LIMIT = 60_000;

/** Time limit for closing the queues after the jobs have ended, in milliseconds, even if the database hangs. */
const CLOSE_MARGIN = 500;

export interface JobRunner extends JobQueue {
  /** Starts working jobs in this process. */
  work(context: Context): Promise<void>;
  /** Waits for running jobs, for at most `timeout` milliseconds. */
  close(timeout?: number): Promise<void>;
}

/** Opens the job queues, which live in the schema `pgboss` of the same database. */
export async function openJobs(connection: Connection, logger: Logger): Promise<JobRunner> {
  // It uses the driver's own pool, with all of its settings.
  const settings: pg.PoolConfig = { keepAlive: true, query_timeout: QUERY_LIMIT };
  const boss = new PgBoss({
    ...connection,
    ...settings,
    max: 2,
    application_name: 'colophon jobs',
  } as object);
  boss.on('error', (err) => logger.error({ err }, 'job queue'));
  await boss.start();
  let closing: Promise<void> | undefined;
  const names = Object.keys(WORKERS) as (keyof Jobs)[];
  for (const name of names) await boss.createQueue(name);
  return {
    async enqueue(db, name, data) {
      await boss.send(name, data, { db: fromKysely(db) });
    },
    async work(context) {
      for (const name of names) {
        const { run, schedule } = WORKERS[name];
        await boss.work(name, { batchSize: 2, burstWhenBatchFull: true }, async (jobs) => {
          for (const job of jobs) await run(job.data as Jobs[typeof name], context);
        });
        if (schedule) await boss.schedule(name, schedule);
      }
    },
    close: (timeout = 3000) =>
      (closing ??= atMost(timeout + CLOSE_MARGIN, boss.stop({ graceful: true, timeout }))),
  };
}
