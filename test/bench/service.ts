import { type Running, startServer } from './processes.ts';

export const TOKEN = 'bench-0123456789abcdef0123456789abcdef';

/** Starts a service that accepts `TOKEN`, and may send webhooks to this machine. */
export const start = (dataDir: string): Promise<Running> =>
  startServer('server/main.ts', {
    DATA_DIR: dataDir,
    BOOTSTRAP_TOKEN: TOKEN,
    MAX_EVENT_LOOP_DELAY: '0',
    OUTBOUND_ALLOW: '127.0.0.1/32',
    LOG_LEVEL: 'fatal',
  });

/** Sends a request, and returns the JSON of the response. @throws Error if it is not a success */
export async function send(
  url: string,
  method: string,
  path: string,
  body?: object,
  token = TOKEN,
  // biome-ignore lint/suspicious/noExplicitAny: the bench looks into bodies freely
): Promise<any> {
  const response = await fetch(`${url}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
  return response.json();
}
