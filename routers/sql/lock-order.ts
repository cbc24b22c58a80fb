/**
 * The tables whose rows transactions lock, in the order of locking, so that there are no deadlocks: a transaction that needs
 * several locks takes the earlier one first, explicitly or by changing the row. Rows of one table are locked in the order of
 * their ids. New rows lock the rows they refer to only against deletion, and may be changed at any time, since nobody else
 * knows them yet. Cascading deletions come later.
 *
 * When the positions of siblings are spread out, the organization is locked, and collections come after spaces.
 *
 * The events of a transaction are numbered right before its commit, and then queued for webhooks, whose rows are locked only
 * against deletion. Locks with `skip locked` never wait, so they may be taken at any time.
 */
export const LOCK_ORDER = [
  // The progress of backfills.
  'setting',
  'user',
  'organization',
  'agent_instructions',
  // Conversations, and what is extracted from them.
  'issue_index',
  'conversation',
  'conversation_issue',
  'issues_cluster',
  'issues_cluster_term',
  'issue_term',
  'site',
  'collection',
  'space',
  // Translations of spaces, and what all translations of an organization share.
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
  // Content, which is inserted in the order of the hashes: alone, or by a transaction that has locked its branches.
  'content_object',
  'document_link',
  'embed',
  'pdf',
  'import_branch',
  // Redirects from an import come after its content.
  'site_redirect',
  'page_condition',
  'earlier_slug',
  'comment',
  'comment_reaction',
  'change_request_contributor',
  'conflict',
  // People and their permissions.
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
  // Hostnames: an advisory lock each (see `lockHostnames`), before their rows.
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
  // The search index of an organization, then its contents.
  'search_index',
  'search_space',
  'search_leaf',
  'search_leaf_pack',
  'search_segment',
  'search_block',
  'search_document',
  'event_counter',
  'webhook',
  'webhook_delivery',
] as const;
