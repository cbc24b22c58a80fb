/** Enumerations that are stored in columns and shown by the API. */

/** Roles and levels, strongest first; each includes those after it. */
export const ROLES = ['admin', 'create', 'review', 'edit', 'comment', 'read'] as const;
export type Role = (typeof ROLES)[number];

/** A default level as set: a role, or inherited from the parent. Null in its place means no default access. */
export const DEFAULT_LEVELS = [...ROLES, 'inherit'] as const;
export type DefaultLevel = (typeof DEFAULT_LEVELS)[number];

export const TEAM_ROLES = ['owner', 'member'] as const;
export type TeamRole = (typeof TEAM_ROLES)[number];

export const VISIBILITIES = [
  'public',
  'unlisted',
  'share-link',
  'visitor-auth',
  'in-collection',
  'private',
] as const;

/** Who can read a published site. */
export const SITE_VISIBILITIES = ['public', 'unlisted', 'share-link', 'visitor-auth'] as const;

/** The plans of sites, which decide their features. */
export const SITE_TYPES = [
  'basic',
  'premium',
  'ultimate',
  'sponsored',
  'legacy-basic',
  'legacy-premium',
] as const;

export const AGENTS_CONTEXTS = ['excluded', 'included'] as const;
export const VISITOR_AUTH_BACKENDS = ['custom', 'integration'] as const;

/** Results of checking a custom hostname. */
export const HOSTNAME_STATUSES = [
  'dns_passed',
  'dns_wrong_cname',
  'dns_no_cname',
  'dns_cloudflare_proxied',
  'dns_wrong_caa',
  'live',
  'ssl_unknown',
  'ssl_pending',
  'ssl_failed',
  'ssl_retry_expired',
  'invalid_domain',
  'internal_error',
] as const;

export const EDIT_MODES = ['live', 'locked'] as const;
export type EditMode = (typeof EDIT_MODES)[number];

export const REVISION_TYPES = ['edits', 'merge', 'update', 'rollback', 'computed'] as const;
export type RevisionType = (typeof REVISION_TYPES)[number];

export const ORGANIZATION_TYPES = ['business', 'community'] as const;
export const COMMUNITY_TYPES = ['nonProfit', 'openSource', 'education'] as const;
export const USE_CASES = [
  'internalDocs',
  'docsSite',
  'audienceControlledSite',
  'productDocs',
  'teamKnowledgeBase',
  'designSystem',
  'openSourceDocs',
  'notes',
  'other',
] as const;

export const TOKEN_SCOPES = ['write', 'read'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** How a user signed in; `link` means a link from the operator or in an e-mail. */
export const SIGN_IN_METHODS = ['password', 'oidc', 'saml', 'passkey', 'link'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

export const ONE_TIME_PURPOSES = [
  'password-reset',
  'email-verification',
  'invite',
  'second-factor',
  'oidc',
  'saml-request',
  'saml-response',
  'passkey',
] as const;
export type OneTimePurpose = (typeof ONE_TIME_PURPOSES)[number];

export const LANGUAGES = [
  'en',
  'fr',
  'de',
  'es',
  'it',
  'pt',
  'pt-br',
  'ru',
  'ja',
  'zh',
  'yue',
  'ko',
  'ar',
  'hi',
  'nl',
  'pl',
  'tr',
  'sv',
  'no',
  'da',
  'fi',
  'el',
  'cs',
  'hu',
  'ro',
  'th',
  'vi',
  'id',
  'ms',
  'he',
  'uk',
  'sk',
  'bg',
  'hr',
  'lt',
  'lv',
  'et',
  'sl',
] as const;
export type Language = (typeof LANGUAGES)[number];

export const TRANSLATION_STATUSES = ['pending', 'running', 'completed'] as const;

/** The engines that can translate texts. */
export const TRANSLATION_ENGINES = ['pseudo', 'libretranslate', 'model'] as const;
export type TranslationEngineName = (typeof TRANSLATION_ENGINES)[number];
export const ISSUE_ENGINES = ['keywords', 'model'] as const;
export type IssueEngineName = (typeof ISSUE_ENGINES)[number];

export const CHANGE_REQUEST_STATUSES = ['draft', 'open', 'archived', 'merged'] as const;
export type ChangeRequestStatus = (typeof CHANGE_REQUEST_STATUSES)[number];

export const REVIEW_STATUSES = ['approved', 'changes-requested'] as const;
export type ReviewStatus = (typeof REVIEW_STATUSES)[number];

export const COMMENT_STATUSES = ['open', 'resolved'] as const;

/** What webhooks send: events, or which cached responses a renderer of sites must drop. */
export const WEBHOOK_FORMATS = ['event', 'revalidate'] as const;
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

/** What a block of a search index contains: terms with their postings, words, or words spelled backwards. */
export const SEARCH_BLOCK_KINDS = ['term', 'word', 'reversed'] as const;

export const SPEC_VISIBILITIES = ['private', 'public'] as const;
export const PDF_STATES = ['pending', 'progress', 'complete', 'failed'] as const;

export const PROCESSING_STATES = ['pending', 'progress', 'complete'] as const;
export type ProcessingState = (typeof PROCESSING_STATES)[number];
export const PROCESSING_ERROR_CODES = ['FETCH_TIMEOUT', 'FETCH_ERROR', 'PARSE_ERROR'] as const;
export type ProcessingErrorCode = (typeof PROCESSING_ERROR_CODES)[number];

export const SPEC_FORMATS = ['json', 'yaml'] as const;

/** Who performs audited actions: a user, or the system (its operator, its jobs, or an unidentified caller). */
export const AUDIT_ACTOR_TYPES = ['user', 'system'] as const;

/** How an audited action was performed: in a browser session, with an API token, on the command line, or by a job. */
export const AUDIT_SOURCES = ['ui', 'api', 'script', 'workflow'] as const;
export type AuditSource = (typeof AUDIT_SOURCES)[number];
