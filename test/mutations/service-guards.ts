import type { Guard } from './guards.ts';

const BODIES = 'test/server/bodies.test.ts';
const TRPC = 'test/server/trpc.test.ts';
const TRPC_CALLS = 'test/server/trpc-calls.test.ts';
const HEADERS = 'test/server/headers.test.ts';
const REFUSALS = 'test/server/refusals.test.ts';
const DOWNLOADS = 'test/content/downloads.test.ts';
const FULL_DISK = 'test/faults/full-disk.test.ts';
const PRIVACY = 'test/server/privacy.test.ts';
const START = 'test/server/start.test.ts';

/** Guards between the network or the disk and the procedures. */
export const SERVICE_GUARDS: Guard[] = [
  {
    name: '405 lists the methods of the path',
    file: 'server/known-paths.ts',
    find: "reply.header('allow',",
    replace: "reply.header('x-allow',",
    tests: [REFUSALS, 'test/server/facade.test.ts'],
  },
  {
    name: 'an unsupported method gets 405',
    file: 'server/known-paths.ts',
    find: 'if (!methods) return',
    replace: 'return',
    tests: [REFUSALS],
  },
  {
    name: 'only a proxy sets the request id',
    file: 'server/request-ids.ts',
    find: "trustProxy ? headers['x-request-id'] : undefined",
    replace: "headers['x-request-id']",
    tests: [HEADERS],
  },
  {
    name: 'the request id of a proxy is valid',
    file: 'server/request-ids.ts',
    find: ' && REQUEST_ID.test(given)',
    replace: '',
    tests: [HEADERS],
  },
  {
    name: 'responses have the request id',
    file: 'server/request-ids.ts',
    find: "    reply.header('x-request-id', request.id);\n",
    replace: '',
    tests: [HEADERS],
  },
  {
    name: 'failed requests are logged',
    file: 'server/http-errors.ts',
    find: 'if (status < 500) return;',
    replace: 'return;',
    tests: [HEADERS],
  },
  {
    name: 'only failed requests are logged',
    file: 'server/http-errors.ts',
    find: 'if (status < 500) return;',
    replace: '',
    tests: [HEADERS],
  },
  {
    name: 'signatures stay out of the log',
    file: 'server/http-errors.ts',
    find: 'route: request.routeOptions.url',
    replace: 'route: request.url',
    tests: [HEADERS],
  },
  {
    name: 'https responses include HSTS',
    file: 'server/app.ts',
    find: 'isHttps ? { maxAge: HTTPS_AGE, includeSubDomains: false } : false',
    replace: 'false',
    tests: [HEADERS],
  },
  {
    name: 'http responses include no HSTS',
    file: 'server/app.ts',
    find: 'isHttps ? { maxAge: HTTPS_AGE, includeSubDomains: false } : false',
    replace: '{ maxAge: HTTPS_AGE, includeSubDomains: false }',
    tests: [HEADERS],
  },
  {
    name: 'authenticated responses are not kept in shared caches',
    file: 'server/app.ts',
    find: "        reply.header('cache-control', 'private, no-cache');\n",
    replace: '',
    tests: [HEADERS],
  },
  {
    name: 'errors are not cached',
    file: 'server/http-errors.ts',
    find: "'cache-control': 'no-store', ",
    replace: '',
    tests: [HEADERS],
  },
  {
    name: 'downloads have the name of the file',
    file: 'server/downloads.ts',
    find: 'contentDisposition(name, {',
    replace: "contentDisposition('file', {",
    tests: [DOWNLOADS],
  },
  {
    name: 'only safe media types are shown inline',
    file: 'server/downloads.ts',
    find: "SHOWN.test(type) ? 'inline' : 'attachment'",
    replace: "'inline'",
    tests: [DOWNLOADS],
  },
  {
    name: 'a file name cannot change the path',
    file: 'routers/engine/edit/changes.ts',
    find: '/^(\\.\\.?|\\s*)$/u.test(name)',
    replace: 'false',
    tests: ['test/content'],
  },
  {
    name: 'an unchanged response is not sent again',
    file: 'server/conditional.ts',
    find: "if (!fresh(request.headers, { etag: reply.getHeader('etag') })) return done(null, payload);",
    replace: 'return done(null, payload);',
    tests: [HEADERS],
  },
  {
    name: 'only reads are conditional',
    file: 'server/conditional.ts',
    find: '!isRead || ',
    replace: '',
    tests: [HEADERS],
  },
  {
    name: 'only successes are conditional',
    file: 'server/conditional.ts',
    find: ' || reply.statusCode !== 200',
    replace: '',
    tests: [HEADERS],
  },
  {
    name: 'an unchanged file is not sent again',
    file: 'server/downloads.ts',
    find: 'if (isFresh) return',
    replace: 'if (false) return',
    tests: [DOWNLOADS],
  },
  {
    name: 'a range of a changed file gets the whole file',
    file: 'server/downloads.ts',
    find: ' || (condition !== undefined && condition !== etag)',
    replace: '',
    tests: [DOWNLOADS],
  },
  {
    name: 'drafts of dead writers are removed',
    file: 'server/storage.ts',
    find: '  await removeDeadDrafts(join(location, DRAFTS));\n',
    replace: '',
    tests: [FULL_DISK],
  },
  {
    name: 'drafts of live writers are kept',
    file: 'server/storage-drafts.ts',
    find: 'if (isDead) await',
    replace: 'await',
    tests: [FULL_DISK],
  },
  {
    name: 'a failed write leaves nothing',
    file: 'server/storage.ts',
    find: '        await rm(draft, { force: true }).catch(() => undefined);\n',
    replace: '',
    tests: [FULL_DISK],
  },
  {
    name: 'the data directory is created for its owner only',
    file: 'server/embedded-postgres/data-directory.ts',
    find: 'isRoot() ? 0o711 : 0o700',
    replace: 'isRoot() ? 0o755 : 0o755',
    tests: [PRIVACY],
  },
  {
    name: 'wider modes of the data directory are reset',
    file: 'server/embedded-postgres/data-directory.ts',
    find: '    await chmod(dataDir, permissions & allowed);\n',
    replace: '',
    tests: [PRIVACY],
  },
  {
    name: 'the start stops waiting for a silent database',
    file: 'server/database.ts',
    find: '    connectionTimeoutMillis: CONNECT_LIMIT,\n',
    replace: '',
    tests: [START],
  },
  {
    name: 'chunks beyond the limit are dropped',
    file: 'server/crumbs.ts',
    find: 'if (++this.#pieces <= FREE_PIECES + this.#length / PIECE_SIZE) return',
    replace: 'return',
    tests: [BODIES],
  },
  {
    name: 'unread chunks are counted',
    file: 'server/connections.ts',
    find: "  server.prependListener('request', (request) => void (hasBody(request) && request.read(0)));\n",
    replace: '',
    tests: [BODIES],
  },
  {
    name: 'too many chunks after a response end the connection',
    file: 'server/connections.ts',
    find: "raw.once('crumbs', () => raw.socket.destroy()).resume()",
    replace: 'raw.resume()',
    tests: [BODIES],
  },
  {
    name: 'documents in tRPC responses are not parsed',
    file: 'routers/engine/document/held.ts',
    find: 'isHeld(member) ? member.json : JSON.stringify(member)',
    replace: 'JSON.stringify(member)',
    tests: [TRPC],
  },
  {
    name: 'HEAD runs no mutation over tRPC',
    file: 'server/trpc-calls.ts',
    find: "if (!isGet && method !== 'POST') return undefined;",
    replace: '',
    tests: [TRPC_CALLS],
  },
  {
    name: 'a tRPC batch is bounded',
    file: 'server/trpc-calls.ts',
    find: 'if (paths.length > MAX_BATCH) return undefined;',
    replace: '',
    tests: [TRPC_CALLS],
  },
];
