import type pg from 'pg';
import { fromKysely, PgBoss } from 'pg-boss';
import { collectGarbage } from '../routers/content/garbage.operation.ts';
import type { Context, Logger } from '../routers/context.ts';
import type { JobQueue, Jobs } from '../routers/ports.ts';
import { removeExpiredSpaces } from '../routers/spaces/removal.operation.ts';
import type { Connection } from '../schema/orm.config.ts';
import { atMost } from './shutdown.ts';

/** What each job does, and when it runs by itself (cron, UTC). Declared once, worked in every process. */
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

/** A statement of the queues that takes longer, in milliseconds, is given up with its connection. */
const QUERY_LIMIT = 60_000;

/** Beyond the jobs' own time, closing the queues takes this long at most, in milliseconds, though the database hangs. */
const CLOSE_MARGIN = 500;

export interface JobRunner extends JobQueue {
  /** Starts working jobs in this process. */
  work(context: Context): Promise<void>;
  /** Lets the jobs under way end, for at most `timeout` milliseconds. */
  close(timeout?: number): Promise<void>;
}

/** Opens the job queues, which live in the schema `pgboss` of the same database. */
export async function openJobs(connection: Connection, logger: Logger): Promise<JobRunner> {
  // Its pool is that of the driver, and takes all of the driver's settings.
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
