import fc from 'fast-check';
import { expect, test } from 'vitest';
import { activeProxies, type ProxyClaim } from '../../routers/hostnames/active-proxies.ts';

/** Claims as `organization origin`, the one that counts most first; those that are active. */
const active = (claims: string[], owner?: string) => {
  const given = claims.map((claim): ProxyClaim => {
    const [organization = '', origin = ''] = claim.split(' ');
    return { site: claim, organization, origin };
  });
  return [...activeProxies(given, owner)];
};

test('the first claim to an origin is active, and no other at or below it', () => {
  expect(active(['a x.com/docs', 'b x.com/docs', 'b x.com/docs/v2', 'b x.com/docs2'])).toEqual([
    'a x.com/docs',
    'b x.com/docs2',
  ]);
});

test('a claim above an earlier one is active beside it, but does not replace it', () => {
  expect(active(['a x.com/docs/v2', 'b x.com/docs'])).toEqual(['a x.com/docs/v2', 'b x.com/docs']);
});

test('an organization may have claims below its own, even with an inactive claim of another in between', () => {
  expect(active(['a x.com/p', 'b x.com/p/q', 'a x.com/p/q/r'])).toEqual(['a x.com/p', 'a x.com/p/q/r']);
});

test('no other organization has a proxy at the hostname of an organization', () => {
  expect(active(['a x.com/p', 'b x.com/q'], 'b')).toEqual(['b x.com/q']);
});

test('whatever is claimed, no path leads to two organizations, and no claim gives way to a later one', () => {
  const path = fc.array(fc.constantFrom('p', 'q'), { minLength: 1, maxLength: 3 });
  const claim = fc.record({ organization: fc.constantFrom('a', 'b', 'c'), path });
  fc.assert(
    fc.property(fc.array(claim, { maxLength: 12 }), (given) => {
      const claims = given.map(({ organization, path }, index) => ({
        site: String(index),
        organization,
        origin: ['x.com', ...path].join('/'),
      }));
      const chosen = activeProxies(claims, undefined);
      const isAtOrBelow = (one: string, other: string) => `${one}/`.startsWith(`${other}/`);
      for (const [index, one] of claims.entries()) {
        const stronger = claims
          .slice(0, index)
          .filter((other) => chosen.has(other.site) && other.organization !== one.organization);
        const isTaken = stronger.some((other) => isAtOrBelow(one.origin, other.origin));
        expect(chosen.has(one.site)).toBe(!isTaken);
      }
    }),
  );
});
