import { ADDRESS_GUARDS } from './address-guards.ts';
import { AUDIENCE_GUARDS } from './audience-guards.ts';
import { AUDIT_GUARDS } from './audit-guards.ts';
import { AUTH_GUARDS } from './auth-guards.ts';
import { BRANCH_GUARDS } from './branch-guards.ts';
import { COMMENT_GUARDS } from './comment-guards.ts';
import { CONVERSATION_GUARDS } from './conversation-guards.ts';
import { DECODER_GUARDS } from './decoder-guards.ts';
import { EVENT_GUARDS } from './event-guards.ts';
import { FACTOR_GUARDS } from './factor-guards.ts';
import type { Guard } from './guard.ts';
import { GUARDS } from './guards.ts';
import { JOINING_GUARDS } from './joining-guards.ts';
import { LIST_GUARDS } from './list-guards.ts';
import { OPERATION_GUARDS } from './operation-guards.ts';
import { OUTBOUND_GUARDS } from './outbound-guards.ts';
import { PAGE_GUARDS } from './page-guards.ts';
import { PDF_GUARDS } from './pdf-guards.ts';
import { SAML_GUARDS } from './saml-guards.ts';
import { SEARCH_GUARDS } from './search-guards.ts';
import { SERVICE_GUARDS } from './service-guards.ts';
import { SHARE_GUARDS } from './share-guards.ts';
import { SITE_GUARDS } from './site-guards.ts';
import { SPEC_GUARDS } from './spec-guards.ts';
import { TRANSLATION_GUARDS } from './translation-guards.ts';

/** Every guard that is removed once to see a test fail. */
export const ALL_GUARDS: readonly Guard[] = [
  ...GUARDS,
  ...ADDRESS_GUARDS,
  ...AUDIENCE_GUARDS,
  ...AUDIT_GUARDS,
  ...AUTH_GUARDS,
  ...BRANCH_GUARDS,
  ...COMMENT_GUARDS,
  ...CONVERSATION_GUARDS,
  ...TRANSLATION_GUARDS,
  ...DECODER_GUARDS,
  ...EVENT_GUARDS,
  ...FACTOR_GUARDS,
  ...JOINING_GUARDS,
  ...LIST_GUARDS,
  ...SEARCH_GUARDS,
  ...OPERATION_GUARDS,
  ...OUTBOUND_GUARDS,
  ...PDF_GUARDS,
  ...PAGE_GUARDS,
  ...SAML_GUARDS,
  ...SERVICE_GUARDS,
  ...SHARE_GUARDS,
  ...SITE_GUARDS,
  ...SPEC_GUARDS,
];
