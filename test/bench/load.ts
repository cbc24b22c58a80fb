/** A script that sends requests to a server for some seconds, and prints its measurements as JSON. */
import autocannon from 'autocannon';

export interface LoadOptions {
  url: string;
  /** Each connection requests all of these in order, starting at a different one. */
  paths: string[];
  /** The body that is posted to each of the paths; without bodies they are read. */
  bodies?: object[] | undefined;
  /** Additional headers for each of the paths. */
  headers?: Record<string, string>[] | undefined;
  /** The expected status of each response; any success by default. */
  status?: number | undefined;
  /** Each connection uses one of these. */
  tokens: string[];
  seconds: number;
  /** Requests per second; as many as possible by default. */
  rate?: number;
}

export interface Load {
  /** Requests per second. */
  rate: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** The total number of requests. */
  requests: number;
}

const CONNECTIONS = 16;

const {
  url,
  paths,
  bodies,
  headers: given,
  status,
  tokens,
  seconds,
  rate,
} = JSON.parse(process.argv[2] ?? '') as LoadOptions;
let clients = 0;
const requests = paths.map((path, index) => {
  const body = bodies?.[index];
  return body
    ? {
        path,
        method: 'POST' as const,
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...given?.[index] },
      }
    : { path, headers: given?.[index] };
});
const result = await autocannon({
  url,
  connections: CONNECTIONS,
  duration: seconds,
  ...(rate !== undefined && { overallRate: rate }),
  setupClient: (client) => {
    const number = clients++;
    const start = Math.floor((number * paths.length) / CONNECTIONS);
    const headers = { authorization: `Bearer ${tokens[number % tokens.length]}` };
    client.setRequests(
      [...requests.slice(start), ...requests.slice(0, start)].map((request) => ({
        ...request,
        headers: { ...headers, ...request.headers },
      })),
    );
  },
});
function others(expected: number): number {
  const counts = Object.entries(result.statusCodeStats ?? {});
  return counts.reduce((sum, [code, { count = 0 }]) => sum + (Number(code) === expected ? 0 : count), 0);
}
process.stdout.write(
  JSON.stringify({
    rate: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    requests: result.requests.total + result.errors,
    // Responses that are not a success, and requests without a response.
    failed: (status === undefined ? result.non2xx : others(status)) + result.errors,
  }),
);
