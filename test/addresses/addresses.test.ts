import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAddress } from '../../routers/addresses/parse.ts';
import { hostedUrl, type Place, publishedUrl, type SiteAddress } from '../../routers/addresses/published.ts';
import { createUrls } from '../../server/urls.ts';

const urls = createUrls(() => 'https://docs.example.com/base', 'example.site');
const plain: SiteAddress = {
  id: 'site1',
  basename: null,
  proxyOrigin: null,
  hostname: null,
  organizationHostname: null,
  subdomain: null,
};
const at = (site: Partial<SiteAddress>, place?: Place) => publishedUrl(urls, { ...plain, ...site }, place);

test("the address of a site is on the service's own host, with the id of the site, by default", () => {
  expect(at({ basename: 'api' })).toBe('https://docs.example.com/base/sites/site1');
});

test('the address of a site is on the subdomain of its organization, with its basename or id, if there is a subdomain', () => {
  expect(at({ subdomain: 'acme', basename: 'api' })).toBe('https://acme.example.site/api');
  expect(at({ subdomain: 'acme' })).toBe('https://acme.example.site/site1');
});

test('the address of a site is on the custom hostname of its organization rather than the subdomain', () => {
  const site = { subdomain: 'acme', organizationHostname: 'docs.acme.com', basename: 'api' };
  expect(at(site)).toBe('https://docs.acme.com/api');
});

test('the address of a site with a hostname of its own is at the root of that', () => {
  expect(at({ hostname: 'api.acme.com', subdomain: 'acme', basename: 'api' })).toBe('https://api.acme.com/');
});

test('the address of a site behind a proxy is that of the proxy, and the proxy forwards to the hosted address', () => {
  const site = { ...plain, proxyOrigin: 'acme.com/docs/api', subdomain: 'acme', basename: 'api' };
  expect(publishedUrl(urls, site)).toBe('https://acme.com/docs/api');
  expect(publishedUrl(urls, site, { page: 'a/b' })).toBe('https://acme.com/docs/api/a/b');
  expect(hostedUrl(urls, site)).toBe('https://acme.example.site/api');
});

test('the address of a place on a site has the share key, section, site space and page, in this order', () => {
  const place = { shareKey: 'key', section: 'guides', siteSpace: 'v2', page: 'start/a b' };
  expect(at({ hostname: 'docs.acme.com' }, place)).toBe('https://docs.acme.com/key/guides/v2/start/a%20b');
  expect(at({}, { shareKey: 'key' })).toBe('https://docs.example.com/base/sites/site1/key');
});

test('the address of a site has the port of the service, and no subdomain if the installation has no domain for sites', () => {
  const local = createUrls(() => 'http://localhost:3000');
  const site = { ...plain, subdomain: 'acme' };
  expect(publishedUrl(local, site)).toBe('http://localhost:3000/sites/site1');
  expect(publishedUrl(local, { ...site, hostname: 'docs.acme.com' })).toBe('http://docs.acme.com:3000/');
});

describe('an address is parsed', () => {
  const parts = (text: string) => {
    const address = parseAddress(urls, text);
    return address && { ...address.host, root: address.root, path: address.segments.join('|') };
  };

  test('an address is parsed into the host, the root and the segments below it', () => {
    expect(parts('https://docs.example.com/base/sites/site1/a/b')).toEqual({
      kind: 'site',
      site: 'site1',
      root: '/base/sites/site1/',
      path: 'a|b',
    });
    expect(parts('http://acme.example.site:8080/api/a')).toMatchObject({ subdomain: 'acme', path: 'api|a' });
    expect(parts('https://docs.acme.com/')).toMatchObject({ hostname: 'docs.acme.com', root: '/', path: '' });
  });

  test.each([
    ['capitals in the host', 'https://DOCS.Acme.com/a', 'a'],
    ['a dot after the host', 'https://docs.acme.com./a', 'a'],
    ['a user', 'https://docs.example.com@docs.acme.com/a', 'a'],
    ['no slash', 'https://docs.acme.com', ''],
    ['a slash at the end', 'https://docs.acme.com/a/', 'a'],
    ['double slashes', 'https://docs.acme.com//a///b', 'a|b'],
    ['backslashes', 'https://docs.acme.com\\a\\b', 'a|b'],
    ['steps up', 'https://docs.acme.com/a/../../../b', 'b'],
    ['encoded steps up', 'https://docs.acme.com/a/%2e%2e/%2E./b', 'b'],
    ['a query and a fragment', 'https://docs.acme.com/a?b=/c#/d', 'a'],
    ['decomposed letters', 'https://docs.acme.com/u%CC%88ber', 'über'],
    ['composed letters', 'https://docs.acme.com/über', 'über'],
    ['capitals in the path, which count', 'https://docs.acme.com/Guide', 'Guide'],
    ['an emoji', 'https://docs.acme.com/😀', '😀'],
  ])('an address with %s is parsed', (_, text, path) => {
    expect(parts(text)).toMatchObject({ hostname: 'docs.acme.com', path });
  });

  test.each([
    ['no URL', 'docs.acme.com/a'],
    ['another scheme', 'ftp://docs.acme.com/a'],
    ['a script', 'javascript:alert(1)'],
    ['an encoded slash', 'https://docs.acme.com/a%2Fb'],
    ['an encoded NUL', 'https://docs.acme.com/a%00'],
    ['half an encoding', 'https://docs.acme.com/a%2'],
    ['what is not UTF-8', 'https://docs.acme.com/%ff'],
    ['the service without a site', 'https://docs.example.com/base/sites'],
    ['the API of the service', 'https://docs.example.com/base/v1/orgs'],
    ['the service outside its base', 'https://docs.example.com/sites/site1'],
    ['steps out of the base', 'https://docs.example.com/base/sites/../../x/site1'],
  ])('what is not the address of a site is not parsed: %s', (_, text) => expect(parts(text)).toBeUndefined());

  test('a hostname is parsed as a subdomain only if it is below the domain for sites', () => {
    expect(parts('https://example.site/a')).toMatchObject({ kind: 'hostname' });
    expect(parts('https://my-example.site/a')).toMatchObject({ kind: 'hostname' });
    expect(parts('https://a.b.example.site/')).toMatchObject({ subdomain: 'a.b' });
  });
});

test('a built address is parsed into the same place, whatever its paths', () => {
  const path = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => {
    const isReadable = text.isWellFormed() && text === text.normalize('NFC');
    return isReadable && !/[/\0]/.test(text) && !['.', '..'].includes(text);
  });
  const place = fc.record({ section: path, siteSpace: path, page: path });
  fc.assert(
    fc.property(place, (place) => {
      const address = parseAddress(urls, at({ hostname: 'docs.acme.com' }, place));
      expect(address?.segments).toEqual(Object.values(place));
    }),
  );
});
