import { guard } from './guard.ts';
import { always, at, keep, unwrap } from './mutations.ts';

const BACKUP = 'test/server/backup.test.ts';
const BUCKET = 'test/server/bucket-storage.test.ts';
const JOBS = 'test/server/jobs.test.ts';

/** What operators rely on. */
export const OPERATION_GUARDS = [
  guard(
    'bucket-removal-wait',
    'bucket: what is stored again while it is removed is there',
    BUCKET,
    at('condition', keep('operand 2')),
  ),
  guard(
    'bucket-removal-ended',
    'bucket: what is stored again is there even if a removal ended before it was noticed',
    BUCKET,
    at('condition', keep('operand 1')),
  ),
  guard('bucket-removal-stale', 'bucket: a removal looks at the time again once it is announced', BUCKET),
  guard(
    'bucket-stream-failure',
    'bucket: a stream that fails is not stored',
    BUCKET,
    at('value', keep('operand 2')),
  ),
  guard('backup-read-limit', 'backup: what is read into memory is bounded', BACKUP),
  guard('backup-altered-files', 'backup: altered files are refused', BACKUP),
  guard('organization-deletion-title', 'operators: an organization is deleted only with its title', BACKUP),
  guard('trace-statement-texts', 'traces: texts in statements are not sent', JOBS, at('call 1', unwrap)),
  guard('trace-parent', 'traces: only a proxy says of which trace a request is a part', JOBS, always),
];
