import type { Guard } from './guards.ts';

const BACKUP = 'test/server/backup.test.ts';
const BUCKET = 'test/server/bucket-storage.test.ts';
const JOBS = 'test/server/jobs.test.ts';

/** What operators rely on. */
export const OPERATION_GUARDS: Guard[] = [
  {
    name: 'bucket: what is stored again while it is removed is there',
    file: 'server/storage/s3-storage.ts',
    find: 'while (await waitForRemovals(sha256)) {',
    replace: 'while (false) {',
    tests: [BUCKET],
  },
  {
    name: 'bucket: a removal looks at the time again once it is announced',
    file: 'server/storage/s3-storage.ts',
    find: '      try {\n        if (!(await isStale())) return false;\n',
    replace: '      try {\n',
    tests: [BUCKET],
  },
  {
    name: 'bucket: a stream that fails is not stored',
    file: 'server/storage/s3-storage.ts',
    find: 'throw unread ?? storageFailure(error, settings);',
    replace: 'throw storageFailure(error, settings);',
    tests: [BUCKET],
  },
  {
    name: 'backup: what is read into memory is bounded',
    file: 'server/backup/archive.ts',
    find: 'if (size > MAX_READ)',
    replace: 'if (false)',
    tests: [BACKUP],
  },
  {
    name: 'backup: altered files are refused',
    file: 'server/backup/restore.ts',
    find: "if (hash.digest('hex') !== sha256)",
    replace: 'if (false)',
    tests: [BACKUP],
  },
  {
    name: 'operators: an organization is deleted only with its title',
    file: 'routers/installation/organizations.router.ts',
    find: 'if (confirm !== title)',
    replace: 'if (false)',
    tests: [BACKUP],
  },
  {
    name: 'traces: texts in statements are not sent',
    file: 'server/database/database-pool.ts',
    find: "'db.query.text': redactLiterals(sql)",
    replace: "'db.query.text': sql",
    tests: [JOBS],
  },
  {
    name: 'traces: only a proxy says of which trace a request is a part',
    file: 'server/http/traced-requests.ts',
    find: 'isBehindProxy ? request.headers.traceparent : undefined',
    replace: 'request.headers.traceparent',
    tests: [JOBS],
  },
];
