import { hash } from 'node:crypto';
import type { Site } from '../../schema/entities/site.ts';
import type { Row } from '../../schema/rows.ts';
import type { Pass, Visitor } from '../base/principal.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';

/** The settings of a site that decide who may visit it. */
export interface Admission
  extends Pick<Row<Site>, 'published' | 'visibility' | 'authKey' | 'adaptiveContent'> {
  /** Whether the share link in the visitor's pass is an active link of the site. */
  isLinkActive: boolean;
}

/** Identifies a signing key without revealing it. */
export const fingerprintOf = (authKey: string | null): string | undefined =>
  authKey === null ? undefined : hash('sha256', authKey, 'base64url').slice(0, 22);

/**
 * Whether a pass admits its visitor to a site. A pass made with a key that has been replaced is refused whatever the site's
 * visibility: the claims signed with that key are void, and without them the visitor could see what is not meant for them.
 */
export function admits(site: Admission, pass: Pass): boolean {
  // guard: visited-signing-key
  const hasKey = pass.key !== undefined && pass.key === fingerprintOf(site.authKey);
  // guard: replaced-key
  if (pass.key !== undefined && !hasKey) return false;
  if (pass.preview) return hasKey;
  // guard: visited-site-published
  if (!site.published) return false;
  switch (site.visibility) {
    case 'public':
    case 'unlisted':
      return true;
    case 'share-link':
      // guard: visited-link-active
      return site.isLinkActive;
    case 'visitor-auth':
      return hasKey;
  }
}

/** Evaluates a site's conditions for a visitor; without adaptive content, their claims are ignored. */
// guard: claims-need-adaptive-content
export const conditionsFor = (
  site: Pick<Admission, 'adaptiveContent'>,
  { conditions }: Pick<Visitor, 'conditions'>,
): ConditionEvaluator => (site.adaptiveContent ? conditions : conditions.withoutClaims());
