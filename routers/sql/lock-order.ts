/**
 * The tables whose rows transactions lock, in the order in which they lock them, so that no two wait for each other: who
 * needs several locks an earlier one first, by an explicit lock or by the change itself. Rows of one table are locked in
 * the order of their ids. New rows lock what they refer to only against deletion, and may be changed at any time, since nobody
 * else knows them yet. What a deletion takes along comes later.
 *
 * Where the positions of siblings are spread out, the organization is locked, and collections come after spaces.
 *
 * The events of a transaction are numbered right before its commit, and then queued for webhooks, whose rows are locked only
 * against deletion. What is locked with `skip locked` waits for nobody, and may come at any time.
 */
export const LOCK_ORDER = [
  // The progress of jobs that go through all rows.
  'setting',
  'user',
  'organization',
  'agent_instructions',
  // Conversations, and what is made of them.
  'issue_index',
  'conversation',
  'conversation_issue',
  'issues_cluster',
  'issues_cluster_term',
  'issue_term',
  'site',
  'collection',
  'space',
  // Translations of spaces, and what all of an organization share.
  'translation',
  'translated_text',
  'glossary_entry',
  // Below a site.
  'site_section',
  'site_section_group',
  'site_space',
  'share_link',
  // Below a space.
  'change_request',
  // Content, which is added to in the order of the hashes: alone, or by who has locked its branches.
  'content_object',
  'document_link',
  'embed',
  'pdf',
  'import_branch',
  // What an import brings to a site comes after its content.
  'site_redirect',
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
  'totp',
  'recovery_code',
  'passkey',
  'user_identity',
  'session',
  'one_time_token',
  'password',
  'attempt',
  // Hostnames, each by an advisory lock, see `lockHostnames`, before its rows.
  'hostname',
  'subdomain',
  'custom_hostname',
  'site_proxy',
  'openapi_spec',
  'api_outline',
  'openapi_spec_version',
  'openapi_spec_page',
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
