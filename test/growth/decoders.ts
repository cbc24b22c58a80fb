/** All decoders of input from callers, with texts that make them produce as much output, or do as much work, as possible. */

import type { z } from 'zod';
import { parseAppUrl } from '../../routers/addresses/app-path.ts';
import { CustomHostnameName, ProxyOrigin } from '../../routers/addresses/hostnames.ts';
import { parseAddress } from '../../routers/addresses/parse.ts';
import { SourcePath } from '../../routers/addresses/source-path.ts';
import { parsePreviewClaims } from '../../routers/audience/preview-claims.ts';
import { parseRison } from '../../routers/audience/rison.ts';
import { verifyVisitorJwt } from '../../routers/audience/visitor-jwt.ts';
import { deviceOf } from '../../routers/auth/device.ts';
import { parseChallenge } from '../../routers/auth/passkeys.operation.ts';
import { passwordProblem } from '../../routers/auth/passwords.ts';
import { safeReturnTo } from '../../routers/auth/return-to.ts';
import { EmailDomain, normalizeEmail } from '../../routers/base/email-addresses.ts';
import type { Urls } from '../../routers/base/ports.ts';
import { transformer } from '../../routers/base/transformer.ts';
import { verifyUploadToken } from '../../routers/content/uploads.ts';
import { presentEmbed } from '../../routers/embeds/embeds.api.ts';
import { readPageHead } from '../../routers/embeds/page-head.ts';
import { descriptionUrl, providerOf, renderFrame } from '../../routers/embeds/providers.ts';
import { extractIssue } from '../../routers/engine/conversations/extract.ts';
import { parseDescription, parseIssues } from '../../routers/engine/conversations/model-responses.ts';
import { DocumentInput } from '../../routers/engine/document/document.ts';
import { safeHref } from '../../routers/engine/document/safe-href.ts';
import { decodeBase64 } from '../../routers/engine/edit/files.ts';
import { parseEmoji } from '../../routers/engine/emoji.ts';
import { parseExpression } from '../../routers/engine/expressions/parse.ts';
import { BOOK_PATH, parseConfig, parseSettings } from '../../routers/engine/import/config.ts';
import { parseFrontMatter } from '../../routers/engine/import/front-matter.ts';
import { readInline } from '../../routers/engine/import/inline.ts';
import { indexFiles } from '../../routers/engine/import/locate.ts';
import { describeMedia } from '../../routers/engine/import/media.ts';
import { foldPath } from '../../routers/engine/import/paths.ts';
import { planRedirects } from '../../routers/engine/import/redirects.ts';
import type { Scan } from '../../routers/engine/import/scan.ts';
import { decodeText } from '../../routers/engine/import/text.ts';
import { parseYaml } from '../../routers/engine/import/yaml.ts';
import { embedAddress } from '../../routers/engine/links/document-links.ts';
import { decodeEntities, parseHtml } from '../../routers/engine/markdown/html/html.ts';
import { parseMarkdown, serializeMarkdown } from '../../routers/engine/markdown/markdown.ts';
import { emojiOfCode } from '../../routers/engine/markdown/parse/shortcodes.ts';
import { parseIntegration } from '../../routers/engine/markdown/tags.ts';
import { mathOf } from '../../routers/engine/pdf/math.ts';
import { printedHref } from '../../routers/engine/pdf/text.ts';
import { percentDecode } from '../../routers/engine/percent-encoding.ts';
import { verifySamlResponse } from '../../routers/engine/saml/verify.ts';
import { parseXml } from '../../routers/engine/saml/xml.ts';
import { createAnalyzer } from '../../routers/engine/search/analyzer.ts';
import { parseQuery } from '../../routers/engine/search/query.ts';
import { bundleSpec } from '../../routers/engine/specs/bundle.ts';
import { addHtmlDescriptions } from '../../routers/engine/specs/descriptions.ts';
import { valueAt } from '../../routers/engine/specs/pointers.ts';
import { parseSpecText } from '../../routers/engine/specs/read.ts';
import { slugify } from '../../routers/engine/store/slug.ts';
import { parseBody } from '../../routers/engine/tasks/body.ts';
import { createGlossary, protectTerms } from '../../routers/engine/translation/glossary.ts';
import { extractSegment } from '../../routers/engine/translation/inline-text.ts';
import { countWords, parseTranslation } from '../../routers/engine/translation/tagged-text.ts';
import { normalizeCertificates } from '../../routers/saml/certificates.ts';
import { OverridesInput } from '../../routers/sites/customization/customization.api.ts';
import { SitePath } from '../../routers/sites/paths.ts';
import { HttpUrl } from '../../schema/json/http-url.ts';
import { parseJson } from '../../schema/json/parse-json.ts';
import { inputProblem } from '../../schema/json/value.ts';
import { cookieOf } from '../../server/auth/browser.ts';
import { languageOf } from '../../server/auth/languages/index.ts';
import { createJsonBounds } from '../../server/hardening/json-bounds.ts';
import { openOutbound } from '../../server/hardening/outbound.ts';
import { extractJson } from '../../server/language/extract-json.ts';
import { parsePageAddress } from '../../server/pages/address.ts';
import { apiBlock } from '../../server/pages/document/api.ts';
import { emojiOf } from '../../server/pages/document/inlines.ts';
import { safeSource } from '../../server/pages/document/render-context.ts';
import { en } from '../../server/pages/languages/en.ts';
import { cspOrigin } from '../../server/pages/policy.ts';
import { createSigner } from '../../server/signer.ts';
import {
  ADDRESSES,
  aliases,
  announced,
  JSON_TEXTS,
  keys,
  MARKS,
  type Make,
  merges,
  nest,
  repeat,
  WORDS,
} from './decoder-texts.ts';

export interface Decoder {
  /** The modules that use it. */
  modules: string[];
  decode: (text: string) => unknown;
  /** Texts of about this length with as much output, or as much work, as possible. */
  hostile: Record<string, Make>;
  /** The maximum number of values and characters in its output: for any text, however short, and per character. */
  always?: number;
  most?: number;
}

const parsed = (schema: z.ZodType) => (text: string) => schema.safeParse(text).data;
const json = (decode: (value: unknown) => unknown) => (text: string) => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return decode(value);
};
const orError = (decode: (text: string) => unknown) => (text: string) => {
  try {
    return decode(text);
  } catch (error) {
    return (error as Error).message;
  }
};
const URLS = {
  hosting: { hostname: 'docs.test', sitesDomain: 'sites.test' },
  absolute: (path: string) => `http://docs.test${path}`,
  app: () => 'http://docs.test/app/',
} as unknown as Urls;

const OUTBOUND = openOutbound({ allowed: [] });

const UNSTEMMED = createAnalyzer({ stem: (word) => word, stopWords: new Set(), keepsPrefix: true });

const SAML_EXPECTED = {
  certificates: [],
  issuer: '',
  audience: '',
  recipient: '',
  request: '',
  requestedAt: 0,
  now: 0,
};

export const DECODERS: Record<string, Decoder> = {
  'JSON bodies': {
    modules: ['server/hardening/json-bounds.ts', 'server/http/bodies.ts', 'routers/engine/tasks/body.ts'],
    decode: (text) => {
      const bytes = Buffer.from(text);
      return createJsonBounds().check(bytes) ?? orError(() => parseBody(bytes, 120_000))(text);
    },
    hostile: JSON_TEXTS,
  },
  JSON: {
    modules: ['schema/json/parse-json.ts'],
    decode: orError(parseJson),
    hostile: {
      ...JSON_TEXTS,
      'keys with escapes': repeat('"\\n":1,', '{', '"a":1}'),
      'nested keys with escapes': nest('{"\\n":', '}'),
      'escapes in a string': repeat('\\n', '"', '"'),
      'an escape in a long key': repeat('a', '{"\\n', '":1}'),
      'escapes outside of strings': repeat('\\:'),
      'spaces after strings': repeat('"\\n" , ', '[', '1]'),
    },
  },
  'values of an input': {
    modules: ['schema/json/value.ts'],
    decode: json(inputProblem),
    hostile: JSON_TEXTS,
  },
  'inputs over tRPC': {
    modules: ['routers/base/transformer.ts', 'routers/base/superjson-input.ts'],
    decode: orError(json(transformer.input.deserialize)),
    hostile: {
      ...Object.fromEntries(
        ['undefined', 'Date', 'number', 'bigint', 'regexp', 'set', 'map', 'Error', 'URL'].map((type) => [
          type,
          announced(type),
        ]),
      ),
      'a typed array': repeat(
        ' ',
        '{"json":{"x":1e8},"meta":{"values":{"x":[["typed-array","Uint8Array"]]}}}',
      ),
      'all undefined': (size) => {
        const count = Math.ceil(size / 32);
        const values = Array.from({ length: count }, (_, index) => `"${index}":["undefined"]`);
        return `{"json":[${Array(count).fill('null')}],"meta":{"values":{${values}},"v":1}}`;
      },
      'an item far beyond the end': repeat(' ', '{"json":[],"meta":{"values":{"4294967294":["undefined"]}}}'),
      'a deep path': (size) =>
        `{"json":${nest('{"a":', '}')(size).replace(':}', ':1}')},"meta":{"values":{"${'a.'.repeat(size / 8)}a":["Date"]}}}`,
      references: repeat('"a.b",', '{"json":{"a":{}},"meta":{"referentialEqualities":{"a":[', '"a"]}}}'),
      'annotations in each other': repeat('["undefined",{"a":', '{"json":{},"meta":{"values":{"a":'),
    },
  },
  documents: {
    modules: ['routers/engine/document/document.ts', 'routers/engine/document/table-data.ts'],
    decode: json((value) => {
      const { data } = DocumentInput.safeParse(value);
      return data && serializeMarkdown(data);
    }),
    hostile: {
      nodes: nest(
        '{"object":"document","data":{"schemaVersion":1},"nodes":[{"object":"block","type":"quote","nodes":[',
        ']}]}',
      ),
      // Columns, and rows without any cells.
      tables: (size) => {
        const count = size / 40;
        const named = (value: string) => Array.from({ length: count }, (_, index) => `"n${index}":${value}`);
        const data = `{"definition":{${named('{}')}},"records":{${named('{}')}}}`;
        const table = `{"object":"block","type":"table","isVoid":true,"data":${data}}`;
        return `{"object":"document","data":{"schemaVersion":1},"nodes":[${table}]}`;
      },
    },
    // 200,000 empty cells.
    always: 200_000 * '<td></td>'.length,
    most: 40,
  },
  Markdown: {
    modules: [
      'routers/engine/markdown/parse/parser.ts',
      'routers/engine/markdown/parse/plain-tokens.ts',
      'routers/engine/markdown/parse/block-rules.ts',
      'routers/engine/markdown/parse/flanking.ts',
      'routers/engine/markdown/parse/inline-rules.ts',
      'routers/engine/markdown/parse/tag-indents.ts',
      'routers/engine/markdown/tables/table-rule.ts',
    ],
    decode: parseMarkdown,
    hostile: {
      'short rows of a wide table': (size) => {
        const columns = size / 6;
        return `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${'|\n'.repeat(columns)}`;
      },
      'short rows of many tables': repeat(
        `${'|a'.repeat(150)}|\n${'|-'.repeat(150)}|\n${'|\n'.repeat(300)}\n`,
      ),
      'rows of a table': repeat('|\n', '|a|\n|-|\n'),
      marks: repeat(MARKS, '# a'),
      entities: repeat('&ngE;'),
      lists: repeat('* '),
      numbers: repeat('999999999. a\n'),
    },
    most: 250,
  },
  'HTML in Markdown': {
    modules: ['routers/engine/markdown/html/html.ts'],
    decode: parseHtml,
    hostile: {
      elements: nest('<b>', '</b>'),
      attributes: repeat(' a="b"', '<b', '></b>'),
      entities: repeat('&ngE;'),
    },
  },
  entities: {
    modules: ['routers/engine/markdown/html/html.ts'],
    decode: decodeEntities,
    hostile: { named: repeat('&ngE;'), numbered: repeat('&#x1F468;'), open: repeat('&#x1F468') },
  },
  'JSON of tags': {
    modules: ['routers/engine/markdown/tags.ts'],
    decode: parseIntegration,
    hostile: { attributes: repeat(' a="b"', '{% @a/b', ' %}'), braces: repeat('{', '{% @a/b a=', ' %}') },
  },
  'short names of emoji': {
    modules: ['routers/engine/markdown/parse/shortcodes.ts'],
    decode: emojiOfCode,
    hostile: WORDS,
  },
  emoji: { modules: ['routers/engine/emoji.ts'], decode: parseEmoji, hostile: WORDS },
  'lines of Markdown': {
    modules: ['routers/engine/import/inline.ts'],
    decode: readInline,
    hostile: { links: repeat('[a](b) '), brackets: repeat('['), entities: repeat('&ngE;') },
  },
  YAML: {
    modules: ['routers/engine/import/yaml.ts'],
    decode: (text) => parseYaml(text, { maxLength: 1e9, maxDepth: 100, merges: true }),
    hostile: { aliases, merges, lists: repeat('- '), flow: nest('[', ']'), numbers: repeat('9', 'a: 1e') },
  },
  'front matter': {
    modules: ['routers/engine/import/yaml.ts'],
    decode: parseFrontMatter,
    hostile: { aliases, merges },
  },
  '.gitbook.yaml': {
    modules: ['routers/engine/import/yaml.ts'],
    decode: orError(parseConfig),
    hostile: { aliases, merges, redirects: keys((index) => `a${index}: b`, 'redirects: {', '}') },
  },
  'book.json': {
    modules: ['routers/engine/import/config.ts'],
    decode: orError((text: string) => parseSettings(BOOK_PATH, text)),
    hostile: { lists: nest('[', ']'), members: keys((index) => `"a${index}": 1`, '{', '}') },
  },
  'redirects of .gitbook.yaml': {
    modules: ['routers/engine/import/redirects.ts'],
    decode: (text) => {
      const scan = { config: { root: '', redirects: [[text, text]] } } as unknown as Scan;
      const targets = {
        index: indexFiles([], ''),
        pages: new Map(),
        files: new Map(),
        reusableContents: new Map(),
      };
      return planRedirects(scan, targets, []);
    },
    hostile: { ...WORDS, ...ADDRESSES },
  },
  'OpenAPI documents': {
    modules: ['routers/engine/specs/read.ts', 'routers/engine/specs/json-keys.ts'],
    decode: (text) => parseSpecText(Buffer.from(text)),
    hostile: { ...JSON_TEXTS, aliases, merges },
  },
  'references of an OpenAPI document': {
    modules: ['routers/engine/specs/bundle.ts'],
    decode: (text) => {
      const result = bundleSpec([{ bytes: Buffer.from(text), url: 'http://docs.test/api.json' }]);
      return 'spec' in result ? result.spec.document.bytes.toString() : result;
    },
    hostile: {
      'to itself': keys(
        (index) => `"a${index}":{"$ref":"#"}`,
        '{"openapi":"3.1.0","info":{},"paths":{},"components":{"schemas":{',
        '}}}',
      ),
      'to other documents': keys(
        (index) => `"a${index}":{"$ref":"a${index}.json"}`,
        '{"openapi":"3.1.0","info":{},"paths":{},"components":{"schemas":{',
        '}}}',
      ),
    },
  },
  'JSON pointers': {
    modules: ['routers/engine/specs/pointers.ts'],
    decode: (text) => valueAt({}, text),
    hostile: { steps: repeat('/a'), escapes: repeat('~1', '/'), 'percent signs': repeat('%25', '/') },
  },
  'percent-encoding': {
    modules: ['routers/engine/percent-encoding.ts'],
    decode: percentDecode,
    hostile: { encoded: repeat('%41'), broken: repeat('%'), 'broken at its end': repeat('%41', '', '%') },
  },
  'files as base64': {
    modules: ['routers/engine/edit/files.ts'],
    decode: decodeBase64,
    hostile: { letters: repeat('QUJD'), signs: repeat('===='), blanks: repeat('QU \n') },
  },
  images: {
    modules: ['routers/engine/import/media.ts'],
    decode: (text) => describeMedia(Buffer.from(text, 'latin1')),
    hostile: {
      JPEG: repeat('\x00\x02\xff\xe1', '\xff\xd8\xff\xe1'),
      SVG: repeat('width="1" ', '<svg '),
      GIF: repeat('\xff', 'GIF89a'),
      PNG: repeat('\xff', '\x89PNG\r\n\x1a\n'),
      WebP: repeat('\xff', 'RIFF0000WEBPVP8 '),
    },
  },
  'bytes of text': {
    modules: ['routers/engine/import/text.ts'],
    decode: (text) => decodeText(Buffer.from(text, 'latin1')),
    hostile: { valid: repeat('a\r\n'), 'invalid at its end': repeat('a', '', '\xff') },
  },
  conditions: {
    modules: ['routers/engine/expressions/parse.ts'],
    decode: orError((text) => parseExpression(text)),
    hostile: {
      groups: nest('(', ')'),
      members: repeat('.a', 'a'),
      signs: repeat('!', '', 'a'),
      sums: repeat('a+', '', 'a'),
      choices: repeat('a?', '', 'a'),
      digits: repeat('9'),
    },
  },
  'claims of a visitor': {
    modules: ['routers/audience/preview-claims.ts', 'routers/audience/rison.ts'],
    decode: orError(parsePreviewClaims),
    hostile: { ...JSON_TEXTS, Rison: repeat('a:!t,', '(', 'a:!t)') },
  },
  Rison: {
    modules: ['routers/audience/rison.ts'],
    decode: parseRison,
    hostile: {
      lists: nest('!(', ')'),
      items: repeat('a,', '!(', 'a)'),
      members: repeat('a:!t,', '(', 'a:!t)'),
      escapes: repeat('!!', "'", "'"),
      digits: repeat('9'),
      'an exponent': repeat('9', '1e'),
    },
  },
  'JWTs of visitors': {
    modules: ['routers/audience/visitor-jwt.ts', 'routers/access/visitor-token.ts'],
    decode: (text) => verifyVisitorJwt('k'.repeat(32), text, 0),
    hostile: {
      dots: repeat('.'),
      letters: repeat('QUJD', '', '.QUJD.QUJD'),
      header: (size) => `${Buffer.from(repeat('[')(size)).toString('base64url')}.e30.QUJD`,
    },
  },
  'addresses in PDFs': {
    modules: ['routers/engine/pdf/text.ts', 'routers/engine/document/safe-href.ts'],
    decode: (text) => printedHref(`https://${text}`) ?? printedHref(text),
    hostile: ADDRESSES,
  },
  formulas: {
    modules: ['routers/engine/pdf/math.ts'],
    decode: (text) => mathOf(text, { isBlock: true }),
    hostile: { ...WORDS, groups: nest('{', '}'), macros: repeat('\\a', '\\def\\a{xx}') },
  },
  'names of uploads': {
    modules: ['routers/content/uploads.ts'],
    decode: (text) => verifyUploadToken(createSigner('k'.repeat(43)), text, 'space', 0),
    hostile: { ...WORDS, base64: repeat('W1tb', '', '.QUJD'), parts: repeat('.') },
  },
  signatures: {
    modules: ['server/signer.ts'],
    decode: (text) => createSigner('k'.repeat(43)).verify('cursor', 'text', text),
    hostile: WORDS,
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
  conversations: {
    modules: ['routers/engine/conversations/extract.ts', 'routers/engine/conversations/keywords.ts'],
    decode: (text) => extractIssue({ subject: text.slice(0, 512), messages: [{ role: 'user', body: text }] }),
    hostile: { ...WORDS, tags: repeat('<br '), sentences: repeat('a1. '), replies: repeat('re: ') },
  },
  'answers of models about conversations': {
    modules: ['routers/engine/conversations/model-responses.ts', 'routers/engine/conversations/concepts.ts'],
    decode: (text) => [
      parseIssues({ issues: [{ title: text, summary: text, keywords: text.split(' ') }] }),
      parseDescription({ label: text, summary: text }),
    ],
    hostile: { ...WORDS, sentences: repeat('a1. ') },
  },
  'texts to translate': {
    modules: ['routers/engine/translation/inline-text.ts', 'routers/engine/translation/tagged-text.ts'],
    decode: (text) => {
      const found = extractSegment([{ object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] }]);
      parseTranslation(found?.text ?? '', text);
      countWords(text);
    },
    hostile: {
      ...WORDS,
      groups: repeat('<g1>'),
      parts: repeat('<x1/>'),
      ends: repeat('</g1>'),
      entities: repeat('&#1'),
      addresses: repeat('a@b.'),
      expressions: repeat('{{'),
      placeholders: repeat('${'),
      urls: repeat('http://'),
    },
  },
  'terms of a glossary': {
    modules: ['routers/engine/translation/glossary.ts'],
    decode: (text) =>
      protectTerms(text, createGlossary(['a a', 'a b', 'a'].map((source) => ({ source, target: 'c' })))),
    // A tag is longer than the shortest term.
    most: 8,
    hostile: { ...WORDS, words: repeat('a '), entities: repeat('&amp;') },
  },
  slugs: { modules: ['routers/engine/store/slug.ts'], decode: slugify, hostile: WORDS },
  'paths of files': {
    modules: ['routers/engine/nfc.ts'],
    decode: foldPath,
    hostile: WORDS,
  },
  passwords: {
    modules: ['routers/auth/passwords.ts'],
    decode: (text) => passwordProblem(text, [text]),
    hostile: WORDS,
  },
  'paths to return to': {
    modules: ['routers/auth/return-to.ts'],
    decode: safeReturnTo,
    hostile: { ...ADDRESSES, dots: repeat('/..'), letters: repeat('%41', '/') },
  },
  cookies: {
    modules: ['server/auth/browser.ts'],
    decode: (text) => cookieOf(text, 'colophon_session'),
    hostile: {
      pairs: repeat('a=b; '),
      'equals signs': repeat('='),
      semicolons: repeat(';'),
      blanks: repeat(' '),
    },
  },
  'what a language model writes': {
    modules: ['server/language/extract-json.ts'],
    decode: (text) => [extractJson(text, '['), extractJson(text, '{')],
    hostile: {
      brackets: repeat('['),
      braces: repeat('{'),
      pairs: repeat('[]'),
      objects: repeat('{"a":'),
      texts: repeat('"'),
    },
  },
  languages: {
    modules: ['server/auth/languages/index.ts'],
    decode: (text) => languageOf(text).code,
    hostile: { commas: repeat(','), weights: repeat('de;q=0.5,'), semicolons: repeat(';q=') },
  },
  'addresses in pages': {
    modules: ['server/pages/document/render-context.ts', 'server/pages/policy.ts'],
    decode: (text) => [safeHref(text), safeSource(text), cspOrigin(text), parsePageAddress(text)],
    hostile: { ...ADDRESSES, segments: repeat('/~'), suffixes: repeat('.md') },
  },
  'emojis in pages': {
    modules: ['server/pages/document/inlines.ts'],
    decode: emojiOf,
    hostile: { points: repeat('1f389-'), hyphens: repeat('-') },
  },
  'examples of requests': {
    modules: ['server/pages/document/samples.ts'],
    decode: (path) => {
      const operation = { parameters: [{ name: 'a', in: 'path' }], responses: {} };
      const block = { object: 'block', type: 'openapi-operation', data: { path, method: 'get' } } as const;
      return apiBlock(block, { paths: { [path]: { get: operation } } }, en, new Set())?.text;
    },
    hostile: { parameters: repeat('{a}'), braces: repeat('{'), segments: repeat('/') },
    always: 20_000,
    most: 30,
  },
  forms: {
    modules: ['server/auth/forms.ts'],
    decode: (text) => [...new URLSearchParams(text)],
    hostile: { fields: repeat('a=b&'), ampersands: repeat('&'), encoded: repeat('%41', 'a=') },
  },
  'user agents': {
    modules: ['routers/auth/device.ts'],
    decode: deviceOf,
    hostile: WORDS,
  },
  'search queries': {
    modules: ['routers/engine/search/fold.ts'],
    decode: (text) => parseQuery(UNSTEMMED, text),
    hostile: {
      ...WORDS,
      'quoted letters': (size) => '"a" '.repeat(size / 4),
      quotes: (size) => '"'.repeat(size),
      joiners: (size) => 'a.'.repeat(size / 2),
      humps: (size) => 'aB'.repeat(size / 2),
      minuses: (size) => '-a '.repeat(size / 3),
      'dots in quotes': (size) => `"${'.'.repeat(size)}a"`,
      'pairs of characters': (size) => '漢'.repeat(size),
      marks: (size) => `a${'\u0301'.repeat(size)}`,
    },
    // A phrase is repeated in the output, between spaces.
    most: 20,
  },
  'e-mail addresses': {
    modules: ['routers/base/email-addresses.ts'],
    decode: (text) => [normalizeEmail(text), parsed(EmailDomain)(text)],
    hostile: { ...WORDS, ligatures: repeat('\ufdfa', 'a@'), signs: repeat('@') },
  },
  certificates: {
    modules: ['routers/saml/certificates.ts'],
    decode: orError(normalizeCertificates),
    hostile: {
      ...WORDS,
      base64: repeat('QUJD'),
      blocks: repeat('-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n'),
      'blocks that do not end': repeat('-----BEGIN CERTIFICATE-----'),
      dashes: repeat('-'),
    },
  },
  'XML of SAML': {
    modules: ['routers/engine/saml/xml.ts'],
    decode: orError((text) => parseXml(text)),
    hostile: {
      elements: repeat('<a/>', '<a>', '</a>'),
      'elements in each other': nest('<a>', '</a>'),
      'elements that do not end': repeat('<a>'),
      attributes: keys((index) => ` a${index}="1"`, '<a', '/>'),
      'attributes that do not end': repeat('a', '<a a="'),
      namespaces: repeat('<a xmlns:b="c" b:d="e"/>', '<a>', '</a>'),
      references: repeat('&amp;', '<a>', '</a>'),
      'references that are none': repeat('&', '<a>', '</a>'),
      'references to characters': repeat('&#65;', '<a>', '</a>'),
      brackets: repeat(']]', '<a>', '</a>'),
      spaces: repeat(' ', '<a', '/>'),
      'a name': repeat('a', '<', '/>'),
      'a declaration': repeat(' ', '<?xml', '?><a/>'),
      'a document type': repeat('<!ENTITY a "b">', '<!DOCTYPE a [', ']><a/>'),
      comments: repeat('<!---->', '<a>', '</a>'),
    },
  },
  'responses of SAML providers': {
    modules: ['routers/engine/saml/verify.ts'],
    decode: (text) => verifySamlResponse({ ...SAML_EXPECTED, response: text }).catch(String),
    hostile: { ...WORDS, base64: repeat('QUJD'), 'lines of base64': repeat('QUJD\n'), spaces: repeat(' ') },
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
    // As above.
    most: 7,
    hostile: {
      ...WORDS,
      frames: repeat('<iframe src='),
      sources: repeat(' src', '<iframe'),
      blanks: repeat(' ', '<iframe src', '="'),
      entities: repeat('&amp;', '<iframe src="https://www.youtube.com/?', '">'),
    },
  },
  'answers of passkeys': {
    modules: ['routers/auth/passkeys.operation.ts'],
    decode: (text) => parseChallenge(Buffer.from(text).toString('base64url')),
    hostile: {
      ...WORDS,
      arrays: repeat('['),
      objects: repeat('{"challenge":'),
      texts: repeat('a', '{"challenge":"', '"}'),
    },
  },
  'descriptions of specifications': {
    modules: ['routers/engine/specs/descriptions.ts'],
    decode: (description) => {
      const document = { info: { description } };
      addHtmlDescriptions(document);
      return document;
    },
    hostile: {
      ...WORDS,
      quotes: repeat('>'),
      lists: repeat('* '),
      links: repeat('[a]('),
      brackets: repeat('['),
      emphasis: repeat('*a **b '),
      tags: repeat('<b>'),
      tables: repeat('|a', '|a|\n|-|\n'),
    },
  },
};
