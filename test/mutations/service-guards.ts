import type { Guard } from './guards.ts';

const BODIES = 'test/server/bodies.test.ts';
const TRPC = 'test/server/trpc.test.ts';
const HEADERS = 'test/server/headers.test.ts';
const REFUSALS = 'test/server/refusals.test.ts';
const DOWNLOADS = 'test/content/downloads.test.ts';
const FULL_DISK = 'test/faults/full-disk.test.ts';
const PRIVACY = 'test/server/privacy.test.ts';
const START = 'test/server/start.test.ts';

/** Guards between the network or the disk and the procedures. */
export const SERVICE_GUARDS: Guard[] = [
  {
    name: 'an address says which methods it takes',
    file: 'server/known-paths.ts',
    find: "reply.header('allow',",
    replace: "reply.header('x-allow',",
    tests: [REFUSALS, 'test/server/facade.test.ts'],
  },
  {
    name: 'a method that an address does not take is refused with 405',
    file: 'server/known-paths.ts',
    find: 'if (!methods) return',
    replace: 'return',
    tests: [REFUSALS],
  },
  {
    name: 'the id of a request comes from a proxy alone',
    file: 'server/request-ids.ts',
    find: "trustProxy ? headers['x-request-id'] : undefined",
    replace: "headers['x-request-id']",
    tests: [HEADERS],
  },
  {
    name: 'the id that a proxy gives is a proper one',
    file: 'server/request-ids.ts',
    find: ' && REQUEST_ID.test(given)',
    replace: '',
    tests: [HEADERS],
  },
  {
    name: 'each caller is told the id of the request',
    file: 'server/request-ids.ts',
    find: "    reply.header('x-request-id', request.id);\n",
    replace: '',
    tests: [HEADERS],
  },
  {
    name: 'a failed request has a line in the log',
    file: 'server/http-errors.ts',
    find: 'if (status < 500) return;',
    replace: 'return;',
    tests: [HEADERS],
  },
  {
    name: 'only failed requests have a line in the log',
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
    name: 'browsers that came by https are told to come so again',
    file: 'server/app.ts',
    find: 'isHttps ? { maxAge: HTTPS_AGE, includeSubDomains: false } : false',
    replace: 'false',
    tests: [HEADERS],
  },
  {
    name: 'browsers that came by http are told nothing of https',
    file: 'server/app.ts',
    find: 'isHttps ? { maxAge: HTTPS_AGE, includeSubDomains: false } : false',
    replace: '{ maxAge: HTTPS_AGE, includeSubDomains: false }',
    tests: [HEADERS],
  },
  {
    name: 'answers to a caller are kept by no shared cache',
    file: 'server/app.ts',
    find: "        reply.header('cache-control', 'private, no-cache');\n",
    replace: '',
    tests: [HEADERS],
  },
  {
    name: 'errors are kept by no cache',
    file: 'server/http-errors.ts',
    find: "'cache-control': 'no-store', ",
    replace: '',
    tests: [HEADERS],
  },
  {
    name: 'files are named in their answers',
    file: 'server/downloads.ts',
    find: 'contentDisposition(name, {',
    replace: "contentDisposition('file', {",
    tests: [DOWNLOADS],
  },
  {
    name: 'only pictures and the like are shown in place',
    file: 'server/downloads.ts',
    find: "SHOWN.test(type) ? 'inline' : 'attachment'",
    replace: "'inline'",
    tests: [DOWNLOADS],
  },
  {
    name: 'the name of a file is no step in a path',
    file: 'routers/engine/edit/changes.ts',
    find: '/^(\\.\\.?|\\s*)$/u.test(name)',
    replace: 'false',
    tests: ['test/content'],
  },
  {
    name: 'a caller who has an answer is not sent it again',
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
    name: 'a file that the caller has is not sent again',
    file: 'server/downloads.ts',
    find: 'if (isFresh) return',
    replace: 'if (false) return',
    tests: [DOWNLOADS],
  },
  {
    name: 'a range of other bytes is answered with the whole',
    file: 'server/downloads.ts',
    find: ' || (condition !== undefined && condition !== etag)',
    replace: '',
    tests: [DOWNLOADS],
  },
  {
    name: 'what dead writers left is removed',
    file: 'server/storage.ts',
    find: '  await removeDeadDrafts(join(location, DRAFTS));\n',
    replace: '',
    tests: [FULL_DISK],
  },
  {
    name: 'what live writers write is not',
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
    name: 'the data directory is made for its owner',
    file: 'server/embedded-postgres/data-directory.ts',
    find: 'isRoot() ? 0o711 : 0o700',
    replace: 'isRoot() ? 0o755 : 0o755',
    tests: [PRIVACY],
  },
  {
    name: 'a data directory that was left open is closed',
    file: 'server/embedded-postgres/data-directory.ts',
    find: '    await chmod(dataDir, permissions & allowed);\n',
    replace: '',
    tests: [PRIVACY],
  },
  {
    name: 'the start waits for a database that is silent only so long',
    file: 'server/database.ts',
    find: '    connectionTimeoutMillis: CONNECT_LIMIT,\n',
    replace: '',
    tests: [START],
  },
  {
    name: 'crumbs are not kept',
    file: 'server/crumbs.ts',
    find: 'if (++this.#pieces <= FREE_PIECES + this.#length / PIECE_SIZE) return',
    replace: 'return',
    tests: [BODIES],
  },
  {
    name: 'what nobody reads is counted',
    file: 'server/connections.ts',
    find: "  server.prependListener('request', (request) => void (bringsBody(request) && request.read(0)));\n",
    replace: '',
    tests: [BODIES],
  },
  {
    name: 'crumbs after an answer end the connection',
    file: 'server/connections.ts',
    find: "raw.once('crumbs', () => raw.socket.destroy()).resume()",
    replace: 'raw.resume()',
    tests: [BODIES],
  },
  {
    name: 'documents in answers over tRPC are not parsed',
    file: 'routers/transformer.ts',
    find: 'placeholders.getStore()?.instead(held as HeldDocument) ?? held',
    replace: 'held',
    tests: [TRPC],
  },
];
