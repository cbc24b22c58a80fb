import { originCandidates } from '../addresses/hostnames.ts';

/** A site's claim to a proxy. */
export interface ProxyClaim {
  site: string;
  organization: string;
  /** Host and path. */
  origin: string;
}

/**
 * Decides which of the claims to proxies at one hostname are active. A claim is not if it is below the origin of one of
 * another organization that comes before it: its site could impersonate pages of that organization.
 * @param claims in order of precedence
 * @param owner the organization that has the hostname itself, if any: no other may have a proxy there
 * @returns the ids of the sites whose claims are active
 */
export function activeProxies(claims: readonly ProxyClaim[], owner: string | undefined): Set<string> {
  const active = new Set<string>();
  const organizations = new Map<string, string>();
  for (const { site, organization, origin } of claims) {
    // guard: proxy-same-organization
    if (owner !== undefined && organization !== owner) continue;
    const [hostname = '', ...path] = origin.split('/');
    const above = originCandidates(hostname, path);
    const isTaken = above.some((one) => (organizations.get(one) ?? organization) !== organization);
    // guard: proxy-order
    if (isTaken) continue;
    organizations.set(origin, organization);
    active.add(site);
  }
  return active;
}
