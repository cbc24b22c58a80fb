import { expect, test } from 'vitest';
import {
  CustomHostnameName,
  isOwnHostname,
  isReservedSubdomain,
  SubdomainLabel,
} from '../../routers/addresses/hostnames.ts';

const isCustom = (name: string) => CustomHostnameName.safeParse(name).success;

test.each([
  'docs.example.com',
  'a.b.c.example.com',
  '1.2.3.example.com',
  'my-docs.example.co',
  'xn--mnchen-3ya.example.com',
  `${'a'.repeat(63)}.example.com`,
])('%s may be a custom hostname', (name) => expect(isCustom(name)).toBe(true));

test.each([
  ['two labels', 'example.com'],
  ['one label', 'localhost'],
  ['capitals', 'Docs.example.com'],
  ['an IP address', '192.168.100.200'],
  ['an IPv6 address', '[2001:db8::1]'],
  ['a port', 'docs.example.com:443'],
  ['a path', 'docs.example.com/x'],
  ['a dot at the end', 'docs.example.com.'],
  ['an empty label', 'docs..example.com'],
  ['a hyphen at the edge', '-docs.example.com'],
  ['an underscore', '_docs.example.com'],
  ['letters beyond ASCII', 'döcs.example.com'],
  ['invalid punycode', 'xn--a.example.com'],
  ['punycode of ASCII', 'xn--docs-.example.com'],
  ['a label of 64 characters', `${'a'.repeat(64)}.example.com`],
  ['254 characters', `${'a.'.repeat(121)}example.com.x`.slice(0, 254)],
  ['a line break', 'docs.example.com\n'],
])('a custom hostname may not have %s', (_, name) => expect(isCustom(name)).toBe(false));

const hosting = (hostname: string, sitesDomain?: string) => ({ hostname, sitesDomain, rootOf: String });

test('the hostname of the service, hostnames below it, and subdomains for sites are its own hostnames', () => {
  const here = hosting('docs.example.com', 'example.site');
  for (const own of ['docs.example.com', 'a.docs.example.com', 'example.site', 'acme.example.site']) {
    expect(isOwnHostname(own, here)).toBe(true);
  }
  for (const other of ['example.com', 'mydocs.example.com', 'docs.example.com.evil.org', 'my-example.site']) {
    expect(isOwnHostname(other, here)).toBe(false);
  }
});

test('a subdomain is reserved only if it has a common meaning, or leads to the service', () => {
  expect(isReservedSubdomain('acme', hosting('docs.example.com', 'example.com'))).toBe(false);
  expect(isReservedSubdomain('docs', hosting('docs.example.com', 'example.com'))).toBe(true);
  expect(isReservedSubdomain('eu', hosting('docs.eu.example.com', 'example.com'))).toBe(true);
  expect(isReservedSubdomain('docs', hosting('docs.test', 'example.com'))).toBe(false);
  for (const name of ['www', 'api', 'xn--mnchen-3ya']) {
    expect(isReservedSubdomain(name, hosting('docs.test'))).toBe(true);
  }
});

test.each(['ab', 'a'.repeat(33), 'Acme', '-acme', 'acme-', 'ac_me', 'ac.me', 'acme\n'])(
  '%j is no subdomain',
  (name) => expect(SubdomainLabel.safeParse(name).success).toBe(false),
);
