import type { Site } from '../../schema/entities/site.ts';
import { AdaptiveSchema } from '../../schema/json/adaptive-schema.ts';
import type { Row } from '../../schema/rows.ts';
import { admits, fingerprintOf } from '../access/passes.ts';
import { readPreview, visitorOf } from '../access/visitor-token.ts';
import type { Signer } from '../base/ports.ts';
import type { Visitor } from '../base/principal.ts';
import { type ClaimSet, type Claims, declaredClaims, NO_CLAIMS } from '../engine/expressions/claims.ts';
import { openAuthKey } from './auth-key.ts';
import { areTooMany } from './given-claims.ts';
import { readVisitorJwt } from './visitor-jwt.ts';

/** What is read of a site to tell who may visit it. */
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

/** What someone brings who wants to visit a site. */
export interface VisitorCredentials {
  /** The id of an active share link of the site, whose key they have. */
  link?: string | undefined;
  /** A JWT signed with the key of the site, or the token of a preview. */
  visitorToken?: string | undefined;
  /** Claims that anyone can make. */
  unsignedClaims?: ClaimSet | undefined;
}

/** Where it leads: to the site, to its authentication, or nowhere, as if there were no site. */
export type SiteVisitOutcome =
  | { outcome: 'found'; visitor: Visitor }
  | {
      outcome: 'needs-authentication';
      fallbackUrl: string | null;
      /** Why the token that they brought is refused, if it is not just invalid: one sentence. */
      reason?: string | undefined;
    }
  | { outcome: 'not-there' };

/**
 * Whether someone may visit a site, and with which claims.
 * `signVisitorToken` makes the token of a visitor who was found.
 */
export async function reachSite(
  signer: Signer,
  site: VisitedSite,
  { link, visitorToken, unsignedClaims = {} }: VisitorCredentials,
): Promise<SiteVisitOutcome> {
  const { id, organization, visibility, authKey } = site;
  const preview = visitorToken === undefined ? null : await readPreview(signer, visitorToken);
  if (preview?.site === id && admits({ ...site, isLinkActive: false }, preview.pass))
    return { outcome: 'found', visitor: preview };

  const jwt =
    visitorToken !== undefined && authKey !== null
      ? await readVisitorJwt(openAuthKey(signer, authKey), visitorToken)
      : null;
  const pass = { link, key: jwt?.claims ? fingerprintOf(authKey) : undefined };
  const needsAuthentication = (reason: string | undefined): SiteVisitOutcome => ({
    outcome: 'needs-authentication',
    fallbackUrl: site.authFallbackUrl,
    reason,
  });
  if (!admits({ ...site, isLinkActive: link !== undefined }, pass)) {
    return site.published && visibility === 'visitor-auth'
      ? needsAuthentication(jwt?.excess)
      : { outcome: 'not-there' };
  }
  const claims = claimsOn(site, { signed: jwt?.claims ?? {}, unsigned: unsignedClaims });
  // Without what is claimed of them, visitors would be shown what is for others.
  const excess = site.adaptiveContent ? jwt?.excess : undefined;
  if (excess !== undefined || areTooMany(claims.signed))
    return needsAuthentication(excess ?? 'The visitor token has too many claims.');
  return { outcome: 'found', visitor: visitorOf({ site: id, organization, pass, claims }) };
}

/** The claims that the site knows, without unsigned ones if there are too many; none without adaptive content. */
function claimsOn(site: VisitedSite, given: Claims): Claims {
  if (!site.adaptiveContent) return NO_CLAIMS;
  const schema = site.adaptiveSchema === null ? null : AdaptiveSchema.parse(site.adaptiveSchema);
  const { signed, unsigned } = declaredClaims(given, schema);
  return { signed, unsigned: areTooMany(unsigned) ? {} : unsigned };
}
