import { originCandidates } from '../addresses/hostnames.ts';

/** The claim of a site to a proxy. */
export interface ProxyClaim {
  site: string;
  organization: string;
  /** Host and path. */
  origin: string;
}

/**
 * Which of the claims to proxies at one hostname are active: below the origin of one, the site of another organization
 * would stand in for pages of the first, unless that claim comes before it.
 * @param claims the one that counts most first
 * @param owner the organization that has the hostname itself: no other may have a proxy there
 * @returns the ids of their sites
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
