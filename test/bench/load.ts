/** Loads some addresses of a server for some seconds, as a process of its own, and prints what it measured as JSON. */
import autocannon from 'autocannon';

export interface LoadOptions {
  url: string;
  /** Each connection asks for all of these in turn, and starts at another one. */
  paths: string[];
  /** What is posted to each of the paths, if they are not only read. */
  bodies?: object[] | undefined;
  /** Further headers of each of the paths. */
  headers?: Record<string, string>[] | undefined;
  /** What each request has to be answered with; any success unless told. */
  status?: number | undefined;
  /** Each connection has one of these. */
  tokens: string[];
  seconds: number;
  /** Requests a second; as many as possible unless told. */
  rate?: number;
}

export interface Load {
  /** Requests a second. */
  rate: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** In all. */
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
    // Answers that were no success, and requests without one.
    failed: (status === undefined ? result.non2xx : others(status)) + result.errors,
  }),
);
