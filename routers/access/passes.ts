import { hash } from 'node:crypto';
import type { Site } from '../../schema/entities/site.ts';
import type { Row } from '../../schema/rows.ts';
import type { Pass, Visitor } from '../base/principal.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';

/** What decides who may visit a site. */
export interface Admission
  extends Pick<Row<Site>, 'published' | 'visibility' | 'authKey' | 'adaptiveContent'> {
  /** Whether the share link of the pass is one of the site, and active. */
  isLinkActive: boolean;
}

/** Names a signing key without revealing it. */
export const fingerprintOf = (authKey: string | null): string | undefined =>
  authKey === null ? undefined : hash('sha256', authKey, 'base64url').slice(0, 22);

/**
 * Whether a site may be visited with a pass. One of a replaced key is refused whatever the visibility: the claims that the
 * key signed count no more, and without them what is not for such a visitor would be shown.
 */
export function admits(site: Admission, pass: Pass): boolean {
  const hasKey = pass.key !== undefined && pass.key === fingerprintOf(site.authKey);
  if (pass.key !== undefined && !hasKey) return false;
  if (pass.preview) return hasKey;
  if (!site.published) return false;
  switch (site.visibility) {
    case 'public':
    case 'unlisted':
      return true;
    case 'share-link':
      return site.isLinkActive;
    case 'visitor-auth':
      return hasKey;
  }
}

/** The conditions on a site for a visitor, of whom no claims count without adaptive content. */
export const conditionsOn = (
  site: Pick<Admission, 'adaptiveContent'>,
  { conditions }: Pick<Visitor, 'conditions'>,
): ConditionEvaluator => (site.adaptiveContent ? conditions : conditions.withoutClaims());
