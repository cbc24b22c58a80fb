/** Loads one address for some seconds, as a process of its own, and prints what it measured as JSON. */
import autocannon from 'autocannon';

const [url = '', token = '', seconds = '3'] = process.argv.slice(2);
const result = await autocannon({
  url,
  connections: 16,
  duration: Number(seconds),
  headers: { authorization: `Bearer ${token}` },
});
process.stdout.write(
  JSON.stringify({
    rate: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failed: result.non2xx + result.errors,
  }),
);

export interface Load {
  /** Requests a second. */
  rate: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Answers that were no success, and requests without one. */
  failed: number;
}
