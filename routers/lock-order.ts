/**
 * The tables whose rows transactions lock, in the order in which they lock them, so that no two wait for each other: who
 * needs several locks an earlier one first, by an explicit lock or by the change itself. Rows of one table are locked in
 * the order of their ids. New rows lock what they refer to only against deletion, which holds up none of these locks.
 *
 * The events of a transaction are numbered right before its commit, and then queued for webhooks, whose rows are locked only
 * against deletion. Content objects are saved outside of these transactions, in the order of their hashes.
 */
export const LOCK_ORDER = [
  'user',
  'organization',
  'member',
  'collection',
  'space',
  'change_request',
  'import_branch',
  'comment',
  'site',
  'openapi_spec',
  'embed',
  'webhook',
  'event_counter',
] as const;
