import { parseAppUrl } from '../../../routers/addresses/app-path.ts';
import { CustomHostnameName, ProxyOrigin } from '../../../routers/addresses/hostnames.ts';
import { parseAddress } from '../../../routers/addresses/parse.ts';
import { SourcePath } from '../../../routers/addresses/source-path.ts';
import type { Urls } from '../../../routers/base/ports.ts';
import { presentEmbed } from '../../../routers/embeds/embeds.api.ts';
import { readPageHead } from '../../../routers/embeds/page-head.ts';
import { descriptionUrl, providerOf, renderFrame } from '../../../routers/embeds/providers.ts';
import { runsScript, safeHref } from '../../../routers/engine/document/safe-href.ts';
import { embedAddress } from '../../../routers/engine/links/document-links.ts';
import { printedHref } from '../../../routers/engine/pdf/text.ts';
import { OverridesInput } from '../../../routers/sites/customization/customization.api.ts';
import { SitePath } from '../../../routers/sites/paths.ts';
import { HttpUrl } from '../../../schema/json/http-url.ts';
import { openOutbound } from '../../../server/hardening/outbound.ts';
import { parsePageAddress } from '../../../server/pages/address.ts';
import { safeSource } from '../../../server/pages/document/render-context.ts';
import { cspOrigin } from '../../../server/pages/policy.ts';
import { ADDRESSES, repeat, WORDS } from '../decoder-texts.ts';
import { type Decoder, parsed } from './decoder.ts';

const URLS = {
  hosting: { hostname: 'docs.test', sitesDomain: 'sites.test' },
  absolute: (path: string) => `http://docs.test${path}`,
  app: () => 'http://docs.test/app/',
} as unknown as Urls;

const OUTBOUND = openOutbound({ allowed: [] });

/** Decoders of addresses, and of what is found there. */
export const ADDRESS_DECODERS: Record<string, Decoder> = {
  'addresses in PDFs': {
    modules: ['routers/engine/pdf/text.ts', 'routers/engine/document/safe-href.ts'],
    decode: (text) => printedHref(`https://${text}`) ?? printedHref(text),
    hostile: ADDRESSES,
  },
  'addresses of sites': {
    modules: ['routers/addresses/parse.ts'],
    decode: (text) => {
      const address = parseAddress(URLS, text);
      return address && [address.segments, [...address.query]];
    },
    hostile: ADDRESSES,
  },
  'addresses of the app': {
    modules: ['routers/addresses/app-path.ts'],
    decode: (text) => parseAppUrl(URLS, text),
    hostile: ADDRESSES,
  },
  'paths of sites': { modules: ['routers/sites/paths.ts'], decode: parsed(SitePath), hostile: WORDS },
  'sources of redirects': {
    modules: ['routers/addresses/source-path.ts'],
    decode: parsed(SourcePath),
    hostile: { ...WORDS, letters: repeat('%41', '/') },
  },
  hostnames: {
    modules: ['routers/addresses/hostnames.ts'],
    decode: (text) => [CustomHostnameName, ProxyOrigin].map((schema) => parsed(schema)(text)),
    hostile: WORDS,
  },
  'addresses that are fetched': {
    modules: ['server/hardening/outbound.ts', 'server/hardening/address-rules.ts'],
    decode: (text) => OUTBOUND.problemWithUrl(text),
    hostile: ADDRESSES,
  },
  'addresses in an input': {
    modules: ['schema/json/http-url.ts'],
    decode: parsed(HttpUrl),
    hostile: ADDRESSES,
  },
  'targets of links on sites': {
    modules: ['routers/sites/customization/settings.ts'],
    decode: (text) =>
      OverridesInput.safeParse({ header: { links: [{ title: 'a', to: { kind: 'url', url: text } }] } }).data,
    hostile: ADDRESSES,
  },
  'addresses in pages': {
    modules: ['server/pages/document/render-context.ts', 'server/pages/policy.ts'],
    decode: (text) => [
      safeHref(text),
      runsScript(text),
      safeSource(text),
      cspOrigin(text),
      parsePageAddress(text),
    ],
    hostile: {
      ...ADDRESSES,
      segments: repeat('/~'),
      suffixes: repeat('.md'),
      blanks: repeat(' '),
      tabs: repeat('\t', 'a'),
    },
  },
  'embedded addresses': {
    modules: ['routers/engine/links/document-links.ts', 'routers/embeds/embeds.api.ts'],
    decode: (text) => [embedAddress(text), presentEmbed(text, undefined)],
    hostile: ADDRESSES,
    // A mark is encoded as six characters.
    most: 7,
  },
  'heads of embedded pages': {
    modules: ['routers/embeds/page-head.ts', 'routers/embeds/describe.operation.ts'],
    decode: (text) => readPageHead(text, 'https://example.com/'),
    hostile: {
      ...WORDS,
      tags: repeat('<meta a="b">'),
      'tags that do not end': repeat('<meta a="b" '),
      titles: repeat('<title>'),
      attributes: repeat('a="b" ', '<meta ', '>'),
      'attributes without a value': repeat('a = ', '<link ', '>'),
      blanks: repeat(' ', '<meta a', '>'),
      entities: repeat('&amp;', '<meta property="og:title" content="', '">'),
    },
  },
  'frames of providers': {
    modules: ['routers/embeds/providers.ts'],
    decode: (html) => {
      const provider = providerOf('https://www.youtube.com/watch');
      return provider && [renderFrame(provider, { html, title: 'a' }), descriptionUrl(provider, html)];
    },
    // A mark is encoded as six characters.
    most: 7,
    hostile: {
      ...WORDS,
      frames: repeat('<iframe src='),
      sources: repeat(' src', '<iframe'),
      blanks: repeat(' ', '<iframe src', '="'),
      entities: repeat('&amp;', '<iframe src="https://www.youtube.com/?', '">'),
    },
  },
};
