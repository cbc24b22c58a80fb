import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../helpers/service.ts';

/** How long a client waits after a 503, in milliseconds: without, rejections take the processor from what restarts the database. */
const RETRY_AFTER = 20;

export interface Load {
  /** The number of responses so far, by status. */
  statuses: Map<number, number>;
  /** The longest response time, in milliseconds. */
  longest: number;
  /** Stops it, and waits for the requests in progress. */
  stop(): Promise<void>;
}

/** Reads and writes with a number of concurrent clients, without pause while they are served, until it is stopped. */
export function startLoad(api: Client, organization: string, clients: number): Load {
  let stopped = false;
  const load: Load = {
    statuses: new Map(),
    longest: 0,
    async stop() {
      stopped = true;
      await running;
    },
  };
  const runClient = async (_: unknown, number: number) => {
    for (let round = 0; !stopped; round++) {
      const begun = performance.now();
      const { status } =
        (number + round) % 2 === 0
          ? await api.post(`/orgs/${organization}/spaces`, { title: `Space ${number} ${round}` })
          : await api.get(`/orgs/${organization}/spaces`);
      load.longest = Math.max(load.longest, performance.now() - begun);
      load.statuses.set(status, (load.statuses.get(status) ?? 0) + 1);
      if (status === 503) await sleep(RETRY_AFTER);
    }
  };
  const running = Promise.all(Array.from({ length: clients }, runClient));
  return load;
}
