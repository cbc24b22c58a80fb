/**
 * The tables whose rows transactions lock, in the order in which they lock them, so that no two wait for each other: who
 * needs several locks an earlier one first, by an explicit lock or by the change itself. Rows of one table are locked in
 * the order of their ids. New rows lock what they refer to only against deletion. What a deletion takes along comes later.
 *
 * The events of a transaction are numbered right before its commit, and then queued for webhooks, whose rows are locked only
 * against deletion. What is locked with `skip locked` waits for nobody, and may come at any time.
 */
export const LOCK_ORDER = [
  // The progress of jobs that go through all rows.
  'setting',
  'user',
  'organization',
  'site',
  'collection',
  'space',
  // Below a site.
  'site_section',
  'site_section_group',
  'site_space',
  'site_redirect',
  'share_link',
  // Below a space.
  'change_request',
  'import_branch',
  'page_condition',
  'comment',
  'comment_reaction',
  'change_request_contributor',
  'conflict',
  // People, and what they were given.
  'team',
  'member',
  'permission',
  'team_member',
  'requested_reviewer',
  'invite',
  'saml_provider',
  'saml_identity',
  'api_token',
  'session',
  'one_time_token',
  'password',
  'attempt',
  // Hostnames, each by an advisory lock, see `lockHostnames`, before its rows.
  'hostname',
  'subdomain',
  'site_proxy',
  'custom_hostname',
  'openapi_spec',
  'api_outline',
  'openapi_spec_version',
  'openapi_spec_page',
  // Content, which is added to alone, in the order of the hashes.
  'content_object',
  'document_link',
  'embed',
  'audit_log',
  'audit_event',
  'event',
  // The index of an organization, and what is in it.
  'search_index',
  'search_space',
  'search_leaf',
  'search_segment',
  'search_posting',
  'search_word',
  'search_document',
  'event_counter',
  'webhook',
  'webhook_delivery',
] as const;
