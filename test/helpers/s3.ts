import { once } from 'node:events';
import { utimes } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import S3rver from 's3rver';
import { makeFolder } from './folders.ts';

interface Failure {
  status: number;
  code: string;
}

/** A local S3 server with one bucket, `docs`. */
export interface TestS3 {
  /** The environment variables for a service that stores its files below `prefix` in the bucket. */
  environment(prefix: string): Record<string, string>;
  /** The method and path of each request so far. */
  requests: string[];
  /** Called before a request is handled; may return a failure as the response. The server does not check signatures. */
  before: (method: string, path: string) => Promise<Failure | undefined> | Failure | undefined;
  /** Sets the time of an object. */
  setTime(key: string, time: Date): Promise<void>;
  close(): Promise<void>;
}

export async function startTestS3(): Promise<TestS3> {
  const directory = await makeFolder('s3');
  const s3 = new S3rver({
    directory,
    silent: true,
    configureBuckets: [{ name: 'docs', configs: [] }],
  });
  await s3.configureBuckets();
  const handle = s3.callback();
  const started: TestS3 = {
    environment: (prefix) => ({
      FILES_URL: `s3://docs/${prefix}?endpoint=http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    }),
    requests: [],
    before: () => undefined,
    setTime: (key, time) => utimes(join(directory, 'docs', `${key}._S3rver_object`), time, time),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const server: Server = createServer(async (request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    started.requests.push(`${request.method} ${path}`);
    const failure = await started.before(request.method ?? '', path);
    if (!failure) return handle(request, response);
    response.writeHead(failure.status, { 'content-type': 'application/xml' });
    response.end(`<Error><Code>${failure.code}</Code><Message>${failure.code}</Message></Error>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return started;
}
