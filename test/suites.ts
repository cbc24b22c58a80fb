/**
 * Files that take long for what they show: what happens to an installation under rare conditions, how the time of algorithms
 * grows, random content and models, most of what is tried in a browser, and what is checked for a release. `npm test` leaves
 * them out, and `npm run test:long` runs them.
 */
export const LONG = [
  'test/auth/chromium.test.ts',
  'test/auth/libraries.test.ts',
  'test/branches/lock-order.test.ts',
  'test/branches/races.test.ts',
  'test/branches/transactions.test.ts',
  'test/change-requests/many-conflicts.test.ts',
  'test/checks/bench.test.ts',
  'test/checks/folders.test.ts',
  'test/checks/layers.test.ts',
  'test/checks/reuse.test.ts',
  'test/checks/service-reuse.test.ts',
  'test/clients/package.test.ts',
  'test/clients/reference.test.ts',
  'test/clients/subscriptions.test.ts',
  'test/content/edit-limits.test.ts',
  'test/contract/examples.test.ts',
  'test/contract/indexed-texts.test.ts',
  'test/contract/list-cursors.test.ts',
  'test/contract/list-plans.test.ts',
  'test/engine/document/free-data.test.ts',
  'test/engine/markdown/hostile.test.ts',
  'test/engine/markdown/sent-documents.test.ts',
  'test/engine/merge/git-agreement.test.ts',
  'test/engine/store/depth.test.ts',
  'test/events/processes.test.ts',
  'test/faults/connections.test.ts',
  'test/faults/failover.test.ts',
  'test/faults/full-disk.test.ts',
  'test/faults/garbage.test.ts',
  'test/faults/kill.test.ts',
  'test/growth/*.test.ts',
  'test/imports/unreadable-archives.test.ts',
  'test/imports/unreadable-folders.test.ts',
  'test/imports/unreadable.test.ts',
  'test/pages/api-references.test.ts',
  'test/pages/elements.test.ts',
  'test/pages/header.test.ts',
  'test/pages/layout.test.ts',
  'test/pages/less-common-browsing.test.ts',
  'test/pages/reading.test.ts',
  'test/pages/request-bodies.test.ts',
  'test/pages/request-forms.test.ts',
  'test/pages/site-styles.test.ts',
  'test/pdf/typesetter-failures.test.ts',
  'test/pdf/typesetter.test.ts',
  'test/placement/siblings.test.ts',
  'test/placement/wandering.test.ts',
  'test/search/packs.test.ts',
  'test/server/backup.test.ts',
  'test/server/cli-export.test.ts',
  'test/server/cli-import.test.ts',
  'test/server/cli-openapi-spec.test.ts',
  'test/server/cli-processes.test.ts',
  'test/server/connection-shares.test.ts',
  'test/server/database-down.test.ts',
  'test/server/embedded-postgres-crash.test.ts',
  'test/server/embedded-postgres.test.ts',
  'test/server/installations.test.ts',
  'test/server/interrupts.test.ts',
  'test/server/large-content.test.ts',
  'test/server/pipelining.test.ts',
  'test/server/prepared.test.ts',
  'test/server/privacy.test.ts',
  'test/server/repair.test.ts',
  'test/server/secret-rotation.test.ts',
  'test/server/shared-database.test.ts',
  'test/server/stop.test.ts',
  'test/server/tool.test.ts',
  'test/server/trpc-calls.test.ts',
  'test/server/worker-pool.test.ts',
  'test/sites/structure-model.test.ts',
  'test/specs/examples.test.ts',
  'test/specs/large.test.ts',
  'test/specs/queue.test.ts',
  'test/specs/worker.test.ts',
  'test/webhooks/sending.test.ts',
];

/**
 * Files that each run in their own process. All others share processes, where anything that a file leaves behind in a
 * module, a prototype or the environment affects the files after it.
 */
export const OWN_PROCESS = [
  // They measure CPU time or memory, or fill the stack.
  'test/engine/specs/descriptions.test.ts',
  'test/engine/specs/read.test.ts',
  // They replace modules, or observe all statements of the process.
  'test/batched-statement.test.ts',
  'test/checks/**/*.test.ts',
  'test/output.test.ts',
  // It runs the HTTP adapter of trpc-to-openapi, which makes schemas coerce their input.
  'test/server/facade.test.ts',
  'test/server/token-uses.test.ts',
];

/** Files that wait for processes, network failures and clocks, and each run in their own process. */
export const WAITING_OWN = ['test/server/cli*.test.ts', 'test/server/start.test.ts'];

/** Files that wait likewise, and share processes, because they load the whole product. */
export const WAITING_SHARED = [
  'test/conversations/language-model.test.ts',
  'test/events/streams.test.ts',
  'test/pages/browser.test.ts',
  'test/server/bodies.test.ts',
  'test/server/limits.test.ts',
  'test/specs/fetching.test.ts',
  'test/translations/engines.test.ts',
  'test/webhooks/revalidation.test.ts',
  'test/webhooks/webhooks.test.ts',
];

/** All files that wait. */
export const WAITING = [...WAITING_OWN, ...WAITING_SHARED];

/** The slowest files, the slowest first. All others are ordered by size. */
export const LONGEST = [
  'test/server/cli.test.ts',
  'test/server/bodies.test.ts',
  'test/pages/browser.test.ts',
  'test/server/start.test.ts',
];

/** A quick run for development: the engine, tests without a service, and the main uses of each feature over HTTP. */
export const FAST = [
  'test/*.test.ts',
  'test/engine/**/*.test.ts',
  'test/mutations/*.test.ts',
  'test/access/caller.test.ts',
  'test/addresses/*.test.ts',
  'test/audience/visitors.test.ts',
  'test/change-requests/lifecycle.test.ts',
  'test/collections/collections.test.ts',
  'test/comments/comments.test.ts',
  'test/content/edit.test.ts',
  'test/embeds/embeds.test.ts',
  'test/hostnames/hostnames.test.ts',
  'test/imports/import.test.ts',
  'test/joining/link-invites.test.ts',
  'test/links/links.test.ts',
  'test/organizations/organizations.test.ts',
  'test/people/members.test.ts',
  'test/permissions/permissions.test.ts',
  'test/redirects/redirects.test.ts',
  'test/saml/saml-providers.test.ts',
  'test/server/config.test.ts',
  'test/server/facade.test.ts',
  'test/sites/sites.test.ts',
  'test/spaces/spaces.test.ts',
  'test/specs/specs.test.ts',
  'test/urls/resolve.test.ts',
];
