import { guard } from './guard.ts';
import { at, becomes, keep, never } from './mutations.ts';

const LIMITS = ['test/content/edit-limits.test.ts'];
const READER = ['test/engine/edit/files.test.ts'];
const SHARES = ['test/server/outbound.test.ts'];

/** Guards of how much one request may have the service read from other servers. */
export const OUTBOUND_GUARDS = [
  guard(
    'outbound-encodings',
    'files by URL: a body that is compressed more than once is not decoded',
    SHARES,
    at('value', becomes('() => false')),
  ),
  guard(
    'outbound-undecoded',
    'files by URL: a body that is compressed more than once is not decoded after it was refused either',
    SHARES,
  ),
  guard(
    'url-file-count',
    'files by URL: the changes of an edit are counted together',
    LIMITS,
    at('body of argument 1 of argument 1', becomes('Math.max($(side 1), $(side 2))')),
  ),
  guard(
    'url-edit-bytes',
    'files by URL: the changes of an edit have one limit for their bytes',
    LIMITS,
    at('value', becomes('(...given) => $()(...given)')),
  ),
  guard('url-bytes-counted', 'files by URL: the bytes of each count for those after it', LIMITS),
  guard('url-file-size', 'files by URL: each has a limit', LIMITS, at('value', keep('argument 2'))),
  guard('url-redirect-limit', 'files by URL: redirects end', LIMITS, at('side 2', becomes('2 * $()'))),
  guard('url-request-count', 'files by URL: one request reads a limited number', READER),
  guard(
    'url-time-limit',
    'files by URL: one request reads for a limited time',
    READER,
    at('argument 1', becomes('120_000')),
  ),
  guard('url-time-over', 'files by URL: none is read after the time is over', READER, never),
  guard(
    'outbound-share',
    'files by URL: those being read are shared out',
    SHARES,
    at('value', becomes('{ release: () => undefined }')),
  ),
  guard(
    'outbound-organization',
    'files by URL: they count under their organization',
    SHARES,
    at('argument 1', becomes("{ user: $(operand 1)?.user ?? 'service' }")),
  ),
  guard('outbound-slot-released', 'files by URL: places are given back', SHARES),
];
