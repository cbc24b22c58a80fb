import { rm } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { createAttempts } from '../../routers/auth/attempts.operation.ts';
import { buildApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { openRuntime, type Runtime } from '../../server/runtime.ts';
import { type Builders, createBuilders } from './builders.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { makeFolder } from './folders.ts';
import { silentLogger } from './logger.ts';
import { documentsIn, violationsOf } from './published-documents.ts';
import { expectNoTransactionViolations, guardEngines, outsideTransaction } from './transactions.ts';

export interface ApiResponse {
  status: number;
  headers: Record<string, string | string[] | number | undefined>;
  /** The parsed JSON body, an array for JSON lines, or undefined where there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely; the contract tests check their shapes
  body: any;
}

/** Returns the body of a response. @throws Error unless it is a success */
export async function expectOk(response: Promise<ApiResponse>): Promise<ApiResponse['body']> {
  const { status, body } = await response;
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Calls `/v1` as one caller. */
export interface Client {
  get(path: string, headers?: Record<string, string>): Promise<ApiResponse>;
  post(path: string, body?: unknown): Promise<ApiResponse>;
  put(path: string, body?: unknown): Promise<ApiResponse>;
  patch(path: string, body?: unknown): Promise<ApiResponse>;
  delete(path: string): Promise<ApiResponse>;
}

export interface TestService {
  app: FastifyInstance;
  runtime: Runtime;
  /** The URL of its database, for more connections and for other services on the same database. */
  databaseUrl: string;
  /** Inserts rows directly, each with the parents that it needs. */
  build: Builders;
  /** Returns a client with this token, or one without credentials. */
  as(token?: string): Client;
  close(): Promise<void>;
}

/** A service that runs, and its database and folder. */
interface RunningService {
  app: FastifyInstance;
  runtime: Runtime;
  database: TestDatabase;
  /** What its runtime had at the start. */
  services: Runtime['services'];
  stop(): Promise<void>;
}

/** A service of this process that was reset and that no file uses: a new one costs more than most files. */
let idle: RunningService | undefined;

interface TestServiceOptions {
  /** Whether each import of an archive runs in its own process, as outside of tests: such a process first loads the product. */
  importsInProcesses?: boolean;
}

/**
 * Returns a service with its own database for one test file: one that an earlier file of the process closed, which reset its
 * rows, or a new one. Call it in `beforeAll`, and `close` in `afterAll`, which fails if a transaction locked rows out of order
 * or waited for work on content.
 */
export async function startTestService(
  environment: Record<string, string> = {},
  { importsInProcesses = false }: TestServiceOptions = {},
): Promise<TestService> {
  const isDefault = Object.keys(environment).length === 0 && !importsInProcesses;
  const reused = isDefault ? idle : undefined;
  if (reused) idle = undefined;
  const running = reused ?? (await start(environment, importsInProcesses));
  const { app, runtime, database } = running;
  return {
    app,
    runtime,
    databaseUrl: database.url,
    build: createBuilders(runtime.database),
    as: (token) => client(app, token),
    async close() {
      if (isDefault && !idle && isUnchanged(running) && (await database.reset())) {
        runtime.services.attempts = createAttempts();
        idle = { ...running, services: { ...runtime.services } };
      } else await running.stop();
      expectNoTransactionViolations();
    },
  };
}

async function start(
  environment: Record<string, string>,
  importsInProcesses: boolean,
): Promise<RunningService> {
  const database = await createTestDatabase();
  const dataDir = await makeFolder('test');
  const config = readConfig({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PUBLIC_URL: 'http://docs.test',
    // A busy machine makes tests slow, not wrong.
    MAX_EVENT_LOOP_DELAY: '0',
    DATABASE_WAIT: '60000',
    DATABASE_TIMEOUT: '120000',
    DATABASE_LOCK_TIMEOUT: '120000',
    ...environment,
  });
  const runtime = await openRuntime(config, { role: 'service', logger: silentLogger });
  guardEngines(runtime.services);
  if (!importsInProcesses) runtime.services.importRunner = undefined;
  const app = await buildApp(runtime, config, silentLogger);
  await app.ready();
  return {
    app,
    runtime,
    database,
    services: { ...runtime.services },
    async stop() {
      await app.close();
      await runtime.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Whether a file has neither listened, nor replaced one of the services. */
const isUnchanged = ({ app, runtime, services }: RunningService) =>
  !app.server.listening &&
  Object.entries(runtime.services).every(
    ([name, value]) => value === services[name as keyof typeof services],
  );

const linesOf = (text: string): object[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));

function client(app: FastifyInstance, token: string | undefined): Client {
  const send = async (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> => {
    // Awaited inside, because the request starts only then.
    const response = await outsideTransaction(
      async () =>
        await app.inject({
          method,
          url: `/v1${path}`,
          // As pages of the service send it.
          headers: {
            origin: 'http://docs.test',
            ...(token && { authorization: `Bearer ${token}` }),
            ...headers,
          },
          ...(body !== undefined && { payload: body as object }),
        }),
    );
    const type = String(response.headers['content-type'] ?? '');
    const isJson = type.includes('json') && response.body !== '';
    const isLines = type.startsWith('application/x-ndjson');
    const parsed = isLines ? linesOf(response.body) : isJson ? response.json() : undefined;
    for (const document of documentsIn(parsed)) {
      const violations = violationsOf(document);
      if (violations.length > 0)
        throw new Error(`${method} ${path} returned a document with violations: ${violations}`);
    }
    return { status: response.statusCode, headers: response.headers, body: parsed };
  };
  return {
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body) => send('POST', path, body),
    put: (path, body) => send('PUT', path, body),
    patch: (path, body) => send('PATCH', path, body),
    delete: (path) => send('DELETE', path),
  };
}
