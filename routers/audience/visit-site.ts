import type { Site } from '../../schema/entities/site.ts';
import { AdaptiveSchema } from '../../schema/json/adaptive-schema.ts';
import type { Row } from '../../schema/rows.ts';
import { admits, fingerprintOf } from '../access/passes.ts';
import { verifyPreview, visitorOf } from '../access/visitor-token.ts';
import type { Signer } from '../base/ports.ts';
import type { Visitor } from '../base/principal.ts';
import { type ClaimSet, type Claims, declaredClaims, NO_CLAIMS } from '../engine/expressions/claims.ts';
import { openAuthKey } from './auth-key.ts';
import { areClaimsTooLarge } from './preview-claims.ts';
import { verifyVisitorJwt } from './visitor-jwt.ts';

/** A site with what decides who may visit it. */
export type VisitedSite = Pick<
  Row<Site>,
  | 'id'
  | 'organization'
  | 'published'
  | 'visibility'
  | 'authKey'
  | 'authFallbackUrl'
  | 'adaptiveContent'
  | 'adaptiveSchema'
>;

/** What somebody presents who wants to visit a site. */
export interface VisitorCredentials {
  /** The id of an active share link of the site whose key they have. */
  link?: string | undefined;
  /** A JWT signed with the key of the site, or the token of a preview. */
  visitorToken?: string | undefined;
  /** Claims that anyone can make up. */
  unsignedClaims?: ClaimSet | undefined;
}

/** The visitor, or why there is none: they have to authenticate, or must be treated as if there were no site. */
export type SiteVisitOutcome =
  | { outcome: 'found'; visitor: Visitor }
  | {
      outcome: 'needs-authentication';
      fallbackUrl: string | null;
      /** Why their token is refused, in one sentence, if it is not simply invalid. */
      reason?: string | undefined;
    }
  | { outcome: 'not-found' };

/**
 * Decides whether somebody may visit a site, and with which claims. `signVisitorToken` makes the token of the visitor.
 */
export async function visitSite(
  signer: Signer,
  site: VisitedSite,
  { link, visitorToken, unsignedClaims = {} }: VisitorCredentials,
): Promise<SiteVisitOutcome> {
  const { id, organization, visibility, authKey } = site;
  const preview = visitorToken === undefined ? null : await verifyPreview(signer, visitorToken);
  // guard: reached-preview-of-site
  if (preview?.site === id && admits({ ...site, isLinkActive: false }, preview.pass))
    return { outcome: 'found', visitor: preview };

  const jwt =
    visitorToken !== undefined && authKey !== null
      ? await verifyVisitorJwt(openAuthKey(signer, authKey), visitorToken)
      : null;
  const pass = { link, key: jwt?.claims ? fingerprintOf(authKey) : undefined };
  const needsAuthentication = (reason: string | undefined): SiteVisitOutcome => ({
    outcome: 'needs-authentication',
    fallbackUrl: site.authFallbackUrl,
    reason,
  });
  if (!admits({ ...site, isLinkActive: link !== undefined }, pass)) {
    return site.published && visibility === 'visitor-auth'
      ? needsAuthentication(jwt?.rejection)
      : { outcome: 'not-found' };
  }
  const claims = acceptedClaims(site, { signed: jwt?.claims ?? {}, unsigned: unsignedClaims });
  // Without all of their claims, visitors could be shown what is meant for others.
  const rejection = site.adaptiveContent ? jwt?.rejection : undefined;
  // guard: signed-claims-size, excess-claims
  if (rejection !== undefined || areClaimsTooLarge(claims.signed))
    return needsAuthentication(rejection ?? 'The visitor token has too many claims.');
  return { outcome: 'found', visitor: visitorOf({ site: id, organization, pass, claims }) };
}

/** The claims that the site accepts, without the unsigned ones if they are too large; none without adaptive content. */
function acceptedClaims(site: VisitedSite, given: Claims): Claims {
  if (!site.adaptiveContent) return NO_CLAIMS;
  const schema = site.adaptiveSchema === null ? null : AdaptiveSchema.parse(site.adaptiveSchema);
  // guard: declared-claims
  const { signed, unsigned } = declaredClaims(given, schema);
  // guard: unsigned-claims-size
  return { signed, unsigned: areClaimsTooLarge(unsigned) ? {} : unsigned };
}
