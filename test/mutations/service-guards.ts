import { guard } from './guard.ts';
import { always, at, becomes, never } from './mutations.ts';

const BACKUP = 'test/server/backup.test.ts';
const BENCH = 'test/checks/bench.test.ts';
const BODIES = 'test/server/bodies.test.ts';
const TRPC = 'test/server/trpc.test.ts';
const TRPC_CALLS = 'test/server/trpc-calls.test.ts';
const HEADERS = 'test/server/headers.test.ts';
const REQUEST_LOG = 'test/server/request-log.test.ts';
const REJECTED_REQUESTS = 'test/server/rejected-requests.test.ts';
const SCRIPT_URLS = 'test/engine/edit/urls.test.ts';
const DOWNLOADS = 'test/content/downloads.test.ts';
const FULL_DISK = 'test/faults/full-disk.test.ts';
const PRIVACY = 'test/server/privacy.test.ts';
const DATABASE_DOWN = 'test/server/database-down.test.ts';

/** Guards between the network or the disk and the procedures. */
export const SERVICE_GUARDS = [
  guard('restore-empty', 'a backup is restored only into an empty installation', BACKUP),
  guard('restore-checksums', 'what was restored is what was written', BACKUP),
  guard('restore-file-hash', 'a stored file of a backup has the bytes of its name', BACKUP),
  guard('log-primitive-values', 'a line of the log has no objects of an error', REQUEST_LOG, at('value')),
  guard(
    'import-unreadable-condition',
    'imports: a page whose condition cannot be read is hidden',
    'test/imports/conditions.test.ts',
  ),
  guard('edit-conditions', 'an edit has no condition that cannot be evaluated', 'test/content/edit.test.ts'),
  guard('edit-script-urls', 'an edit adds no URL that runs a script', SCRIPT_URLS),
  guard('page-script-urls', 'no page of an edit leads to a script', SCRIPT_URLS),
  guard(
    'page-href-scripts',
    'pages: clients get no address of a script',
    'test/imports/script-urls.test.ts',
    at('body', becomes('url')),
  ),
  guard(
    'site-markdown-scripts',
    'site Markdown: no link to a script',
    'test/imports/script-urls.test.ts',
    at('condition', never),
  ),
  guard(
    'import-link-scripts',
    'a link of a table of contents to a script is reported',
    'test/engine/import/page-tree.test.ts',
  ),
  guard('allow-header', '405 lists the methods of the path', [
    REJECTED_REQUESTS,
    'test/server/facade.test.ts',
  ]),
  guard('method-not-allowed', 'an unsupported method gets 405', REJECTED_REQUESTS, always),
  guard('request-id-proxy', 'only a proxy sets the request id', HEADERS, always),
  guard(
    'trusted-proxies',
    'only the address that a proxy appended counts',
    'test/server/limits.test.ts',
    at('body', becomes('$(side 2) > 0')),
  ),
  guard('request-id-valid', 'the request id of a proxy is valid', HEADERS, at('operand 2', always)),
  guard('request-id-header', 'responses have the request id', HEADERS),
  guard('error-log', 'failed requests are logged', REQUEST_LOG, always),
  guard('error-log-failed-only', 'only failed requests are logged', REQUEST_LOG),
  guard(
    'log-route-only',
    'signatures stay out of the log',
    REQUEST_LOG,
    at('value', becomes('arguments[0].url')),
  ),
  guard('hsts-https', 'https responses include HSTS', HEADERS, at('value', becomes('false'))),
  guard('hsts-http', 'http responses include no HSTS', HEADERS, at('condition', always)),
  guard('private-responses', 'authenticated responses are not kept in shared caches', HEADERS),
  guard('errors-not-cached', 'errors are not cached', HEADERS, at('member 1')),
  guard(
    'download-name',
    'downloads have the name of the file',
    DOWNLOADS,
    at('argument 1', becomes("'file'")),
  ),
  guard(
    'download-inline-types',
    'only safe media types are shown inline',
    DOWNLOADS,
    at('condition', always),
  ),
  guard('file-name-path', 'a file name cannot change the path', 'test/content', at('call 5', never)),
  guard('conditional-unchanged', 'an unchanged response is not sent again', HEADERS, always),
  guard('conditional-reads', 'only reads are conditional', HEADERS, at('operand 1')),
  guard('conditional-successes', 'only successes are conditional', HEADERS, at('operand 3')),
  guard(
    'no-length-without-body',
    'a response without a body has no length',
    [HEADERS, 'test/server/wire.test.ts'],
    always,
  ),
  guard('download-unchanged', 'an unchanged file is not sent again', DOWNLOADS),
  guard(
    'download-range-changed',
    'a range of a changed file gets the whole file',
    DOWNLOADS,
    at('operand 2', never),
  ),
  guard('drafts-dead-removed', 'drafts of dead writers are removed', FULL_DISK),
  guard('drafts-live-kept', 'drafts of live writers are kept', FULL_DISK, always),
  guard('write-failure-cleanup', 'a failed write leaves nothing', FULL_DISK),
  guard(
    'data-directory-mode',
    'the data directory is created for its owner only',
    PRIVACY,
    at('body', becomes('0o755')),
  ),
  guard('data-directory-mode-reset', 'wider modes of the data directory are reset', PRIVACY),
  guard('stored-file-mode', 'stored files are created for their owner only', PRIVACY, at('member 1')),
  guard(
    'stored-folder-mode',
    'folders of stored files are created for their owner only',
    PRIVACY,
    at('member 2'),
  ),
  guard('database-connect-timeout', 'the start stops waiting for a silent database', DATABASE_DOWN),
  guard('tiny-chunks-dropped', 'chunks beyond the limit are dropped', BODIES, always),
  guard('unread-chunks-counted', 'unread chunks are counted', BODIES),
  guard(
    'unread-bodies-dropped',
    'the rest of a body is dropped after the response',
    'test/server/rejected-requests.test.ts',
  ),
  guard(
    'tiny-chunks-after-response',
    'too many chunks after a response end the connection',
    BODIES,
    at('object'),
  ),
  guard(
    'pipelined-requests',
    'the requests of a connection are handled one at a time',
    'test/server/pipelining.test.ts',
  ),
  guard(
    'one-host',
    'a request with several Host headers is rejected',
    'test/server/rejected-requests.test.ts',
  ),
  guard('property-names', 'a body with very many property names is rejected before it is parsed', BODIES),
  guard(
    'property-names-of-large-body',
    'a worker does not return very many property names, which take long to validate',
    BODIES,
  ),
  guard(
    'problems-of-large-input',
    'problems with an input take no longer than reading it',
    'test/server/call-procedure.test.ts',
  ),
  guard('serialized-documents', 'documents in tRPC responses are not parsed', TRPC, never),
  guard('trpc-head', 'HEAD runs no mutation over tRPC', TRPC_CALLS),
  guard('trpc-batch-limit', 'a tRPC batch is bounded', TRPC_CALLS),
  guard('collection-depth', 'collections: no new one beyond the levels', 'test/collections/depth.test.ts'),
  guard(
    'collection-move-depth',
    'collections: a move counts what lies below',
    'test/collections/depth.test.ts',
  ),
  guard('bench-failed-requests', 'a bench with requests that failed fails', BENCH),
  guard(
    'bench-environment',
    'a bench takes no settings from its caller',
    BENCH,
    at('value', becomes('Object.assign({}, process.env, $(argument 1))')),
  ),
  guard(
    'body-fields-in-query',
    'HTTP: members of a body are not read from the query',
    HEADERS,
    at('argument 2', becomes('parameters')),
  ),
  guard(
    'strict-input',
    'service: what is not known is refused if the caller prefers',
    HEADERS,
    at('value', never),
  ),
  guard(
    'ignored-input-escaped',
    'service: the names of what is ignored are safe in a header',
    HEADERS,
    at('value', becomes('String($(argument 1))')),
  ),
  guard(
    'computation-turns',
    'service: a long computation lets others have a turn',
    'test/run-in-turns.test.ts',
  ),
  guard('trpc-streamed-response', 'tRPC: a streamed response has no length', TRPC),
];
