import type { Guard } from './guards.ts';

const EVENTS = ['test/audit/audit-events.test.ts'];
const CHAIN = ['test/audit/chain.test.ts'];
const FORMER_MEMBERS = ['test/people/former-members.test.ts'];

const CHAIN_SOURCE = 'routers/audit/chain.ts';
const VERIFY = 'routers/audit/verify.query.ts';
const QUERY = 'routers/audit/audit-events.query.ts';
const MEMBERS = 'routers/people/members.operation.ts';
const ERASE = 'routers/installation/erase-user.operation.ts';

/** Guards of the audit log, and of what members lose who leave. */
export const AUDIT_GUARDS: Guard[] = [
  {
    name: 'audit: what a request causes is its own',
    file: 'server/context.ts',
    find: '          setAttribution(em, requestCause(context.caller, { address, userAgent, request }));\n',
    replace: '',
    tests: EVENTS,
  },
  {
    name: 'audit: the log is for admins',
    file: 'routers/access/needs.ts',
    find: "viewAuditLog: toRead('admin')",
    replace: "viewAuditLog: toRead('member')",
    tests: EVENTS,
  },
  {
    name: 'audit: a list is of one log',
    file: QUERY,
    find: "db.selectFrom('audit_event').where('audit_event.log', '=', log);",
    replace: "db.selectFrom('audit_event').where('audit_event.log', '!=', '');",
    tests: EVENTS,
  },
  {
    name: 'audit: an event is found in its own log',
    file: QUERY,
    find: "    .where('audit_event.log', '=', log)\n    .where('audit_event.id', '=', id),",
    replace: "    .where('audit_event.log', '!=', log + 'x')\n    .where('audit_event.id', '=', id),",
    tests: EVENTS,
  },
  {
    name: 'audit: a hash covers the one before it',
    file: CHAIN_SOURCE,
    find: '[previous, canonicalJson(',
    replace: "['', canonicalJson(",
    tests: CHAIN,
  },
  {
    name: 'audit: personal data are compared with their digest',
    file: CHAIN_SOURCE,
    find: 'if (!isPersonalDataIntact(event))',
    replace: 'if (false)',
    tests: CHAIN,
  },
  {
    name: 'audit: the end of a log is compared with its chain',
    file: VERIFY,
    find: 'if (!fault && hash !== head.hash)',
    replace: 'if (false)',
    tests: CHAIN,
  },
  {
    name: 'audit: what stands beyond a log is found',
    file: VERIFY,
    find: '  fault ??= await findMisplacedEvent(db, log);\n',
    replace: '',
    tests: CHAIN,
  },
  {
    name: 'audit: what was noted is compared',
    file: VERIFY,
    find: 'if (anchor?.number === number && anchor.hash !== hash)',
    replace: 'if (false)',
    tests: CHAIN,
  },
  {
    name: 'audit: one process at a time seals a log',
    file: 'routers/audit/seal.operation.ts',
    find: '    .forNoKeyUpdate()\n    .skipLocked()\n',
    replace: '',
    tests: CHAIN,
  },
  {
    name: 'audit: the place of what was removed stays',
    file: 'routers/audit/retention.operation.ts',
    find: 'removed_number = last.number, removed_hash = last.hash',
    replace: 'removed_number = last.number',
    tests: CHAIN,
  },
  {
    name: 'audit: without a retention, nothing is removed',
    file: 'routers/audit/retention.operation.ts',
    find: 'if (auditRetention === 0) return;',
    replace: '',
    tests: CHAIN,
  },
  {
    name: 'audit: salts are erased with personal data',
    file: 'routers/audit/erase.operation.ts',
    find: 'personal = null, salt = null',
    replace: 'personal = null',
    tests: CHAIN,
  },
  {
    name: 'audit: kinds of refusals are bounded',
    file: 'server/hardening/auth-failures.ts',
    find: 'counted.size < MAX_KINDS',
    replace: 'counted.size >= 0',
    tests: EVENTS,
  },
  {
    name: 'audit: tokens of visitors are no refusals',
    file: 'server/context.ts',
    find: "if (!JWT.test(token)) logFailure(browser, 'unknown');",
    replace: "logFailure(browser, 'unknown');",
    tests: EVENTS,
  },
  {
    name: 'erasing: is confirmed',
    file: 'routers/installation/users.router.ts',
    find: 'if (normalizeEmail(confirm) !== user.email)',
    replace: 'if (false)',
    tests: CHAIN,
  },
  {
    name: 'erasing: takes whatever is theirs alone',
    file: ERASE,
    find: '  for (const { table, values } of rowsOf(em, user)) await deleteRows(db, table, values);\n',
    replace: '',
    tests: CHAIN,
  },
  {
    name: 'erasing: takes personal data from the audit log',
    file: ERASE,
    find: 'return erasePersonalData(db, id);',
    replace: 'return 0;',
    tests: CHAIN,
  },
  {
    name: 'members: the last admin is not disabled',
    file: MEMBERS,
    find: '  if (disabled) await keepAnAdmin(em, member);\n',
    replace: '',
    tests: FORMER_MEMBERS,
  },
  {
    name: 'members: that one is disabled is recorded, so that streams end',
    file: MEMBERS,
    find: "  recordEvent(em, { type: 'member.updated', ...key, role: member.role ?? null, disabled });\n",
    replace: '',
    tests: FORMER_MEMBERS,
  },
];
