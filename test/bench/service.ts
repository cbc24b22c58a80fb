import { type Running, startServer } from './processes.ts';

export const TOKEN = 'bench-0123456789abcdef0123456789abcdef';

/** Starts a service that has the token, and may post to this machine. */
export const start = (dataDir: string): Promise<Running> =>
  startServer('server/main.ts', {
    DATA_DIR: dataDir,
    BOOTSTRAP_TOKEN: TOKEN,
    MAX_EVENT_LOOP_DELAY: '0',
    OUTBOUND_ALLOW: '127.0.0.1/32',
    LOG_LEVEL: 'fatal',
  });

/** Sends a request, and gives the JSON that answers it. @throws if it was refused */
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
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
