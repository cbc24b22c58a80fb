import type { Client } from '../helpers/service.ts';

export interface Load {
  /** Answers so far, by status. */
  statuses: Map<number, number>;
  /** The longest wait for an answer, in milliseconds. */
  longest: number;
  /** Ends it once every request under way is answered. */
  stop(): Promise<void>;
}

/** Reads and writes without a pause, in so many lines at once, until it is stopped. */
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
