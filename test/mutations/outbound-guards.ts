import type { Guard } from './guards.ts';

const LIMITS = ['test/content/edit-limits.test.ts'];
const READER = ['test/engine/edit/files.test.ts'];
const SHARES = ['test/server/outbound.test.ts'];

const ADDRESSES = 'routers/content/file-urls.ts';

/** Guards of how much one request may have the service read from other servers. */
export const OUTBOUND_GUARDS: Guard[] = [
  {
    name: 'files by URL: the changes of an edit are counted together',
    file: 'routers/engine/edit/changes.ts',
    find: 'changes.reduce((sum, change) => sum + countUrls(change), 0) <= URL_LIMITS.files',
    replace: 'changes.every((change) => countUrls(change) <= URL_LIMITS.files)',
    tests: LIMITS,
  },
  {
    name: 'files by URL: the changes of an edit have one limit for their bytes',
    file: 'routers/content/files.operation.ts',
    find: 'await storeFile(services, fetchFile, space',
    replace: 'await storeFile(services, createFileFetcher(services.outbound), space',
    tests: LIMITS,
  },
  {
    name: 'files by URL: the bytes of each count for those after it',
    file: ADDRESSES,
    find: '    bytes -= response.bytes.byteLength;\n',
    replace: '',
    tests: LIMITS,
  },
  {
    name: 'files by URL: each has a limit',
    file: ADDRESSES,
    find: 'Math.min(FILE_LIMIT, bytes)',
    replace: 'bytes',
    tests: LIMITS,
  },
  {
    name: 'files by URL: redirects end',
    file: 'server/hardening/outbound.ts',
    find: 'hop <= MAX_REDIRECTS',
    replace: 'hop <= 2 * MAX_REDIRECTS',
    tests: LIMITS,
  },
  {
    name: 'files by URL: one request reads a limited number',
    file: ADDRESSES,
    find: 'if (files-- === 0)',
    replace: 'if (files === 0)',
    tests: READER,
  },
  {
    name: 'files by URL: one request reads for a limited time',
    file: ADDRESSES,
    find: 'AbortSignal.timeout(limits.time)',
    replace: 'AbortSignal.timeout(2 * 60_000)',
    tests: READER,
  },
  {
    name: 'files by URL: none is read after the time is over',
    file: ADDRESSES,
    find: 'ends.aborted ? undefined : await outbound',
    replace: 'await outbound',
    tests: READER,
  },
  {
    name: 'files by URL: those being read are shared out',
    file: 'server/hardening/outbound.ts',
    find: "await share.acquire(currentCaller() ?? { user: 'service' }, timeLimit)",
    replace: '{ release: () => undefined }',
    tests: SHARES,
  },
  {
    name: 'files by URL: they count under their organization',
    file: 'server/hardening/outbound.ts',
    find: "currentCaller() ?? { user: 'service' }",
    replace: "{ user: currentCaller()?.user ?? 'service' }",
    tests: SHARES,
  },
  {
    name: 'files by URL: places are given back',
    file: 'server/hardening/outbound.ts',
    find: '        slot.release();\n',
    replace: '',
    tests: SHARES,
  },
];
