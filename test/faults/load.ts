import type { Client } from '../helpers/service.ts';

export interface Load {
  /** The number of responses so far, by status. */
  statuses: Map<number, number>;
  /** The longest response time, in milliseconds. */
  longest: number;
  /** Stops it once every request in progress is answered. */
  stop(): Promise<void>;
}

/** Reads and writes without pause, with a number of concurrent clients, until it is stopped. */
export function startLoad(client: Client, organization: string, lines: number): Load {
  let stopped = false;
  const load: Load = {
    statuses: new Map(),
    longest: 0,
    async stop() {
      stopped = true;
      await running;
    },
  };
  const line = async (_: unknown, number: number) => {
    for (let round = 0; !stopped; round++) {
      const begun = performance.now();
      const { status } =
        (number + round) % 2 === 0
          ? await client.post(`/orgs/${organization}/spaces`, { title: `Space ${number} ${round}` })
          : await client.get(`/orgs/${organization}/spaces`);
      load.longest = Math.max(load.longest, performance.now() - begun);
      load.statuses.set(status, (load.statuses.get(status) ?? 0) + 1);
    }
  };
  const running = Promise.all(Array.from({ length: lines }, line));
  return load;
}
