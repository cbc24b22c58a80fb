/**
 * The output of a decoder is bounded by the length of its input, and its time is linear. Every module that decodes
 * something must be listed.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../helpers/builders.ts';
import { expectLinear, processorTime } from '../helpers/growth.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import type { Decoder } from './decoders/decoder.ts';
import { DECODERS } from './decoders.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Maximum number of values and characters that a decoder produces for any text, and per character, by default. */
const MAX_OUTPUT = 20_000;
const MAX_OUTPUT_PER_CHARACTER = 4;

/** Sizes of texts that are compared: if the time is not proportional, it is measured again more precisely. */
const SMALL = 16 * 1024;
const LARGE = 128 * 1024;
/** CPU times below this are not compared, in milliseconds. */
const FAST = 8;

/** Counts the values and characters in a value, with shared objects counted repeatedly; stops beyond `most`. */
function sizeOf(root: unknown, most: number): number {
  const stack = [root];
  let size = 0;
  while (stack.length > 0 && size <= most) {
    const value = stack.pop();
    size++;
    if (typeof value === 'string') size += value.length;
    else if (ArrayBuffer.isView(value)) size += value.byteLength;
    else if (value instanceof Map || value instanceof Set) for (const inner of value) stack.push(inner);
    else if (typeof value === 'object' && value !== null) {
      size += Array.isArray(value) ? value.length : 0;
      for (const [key, inner] of Object.entries(value)) {
        size += key.length;
        stack.push(inner);
      }
    }
  }
  return size;
}

const TEXTS = Object.entries(DECODERS).flatMap(([name, decoder]) =>
  Object.entries(decoder.hostile).map(([what, make]): [string, Decoder, (size: number) => string] => [
    `${name}: ${what}`,
    decoder,
    make,
  ]),
);

describe('the output of a decoder is bounded by the length of its input', () => {
  test.for(TEXTS)(
    '%s',
    async ([, { decode, always = MAX_OUTPUT, most = MAX_OUTPUT_PER_CHARACTER }, make]) => {
      for (const size of [64, 1024, 16 * 1024]) {
        const text = make(size);
        const limit = always + most * text.length;
        expect(sizeOf(await decode(text), limit)).toBeLessThanOrEqual(limit);
      }
    },
  );
});

describe('a decoder takes linear time', () => {
  test.for(TEXTS)('%s', ([name, { decode }, make]) => {
    const timeOf = (size: number) => {
      const text = make(size);
      return processorTime(() => decode(text));
    };
    const [small, large] = [timeOf(SMALL), timeOf(LARGE)];
    if (large > Math.max(FAST, (small * LARGE) / SMALL))
      expectLinear(name, make, decode, { from: 256, to: SMALL, milliseconds: 2 });
  });
});

describe('a hostile request', () => {
  let service: TestService;
  let person: Person;
  beforeAll(async () => {
    service = await startTestService();
    person = await service.build.user();
  });
  afterAll(() => service.close());

  const send = (url: string, headers: Record<string, string> = {}) =>
    service.app.inject({ url, headers: { authorization: `Bearer ${person.token}`, ...headers } });
  const long = (part: string, size = 12_000) => part.repeat(size / part.length);

  test.for<[name: string, status: number, url: string, headers?: Record<string, string>]>([
    ['parameters', 200, `/v1/orgs?${long('a=1&')}`],
    ['the same parameter', 400, `/v1/orgs?${long('limit=1&')}`],
    ['a number of many digits', 400, `/v1/orgs?limit=${long('9')}`],
    ['percent signs', 404, `/v1/orgs/${long('%25')}`],
    ['a cursor', 400, `/v1/orgs?page=${long('QUJD', 2000)}.${long('QUJD', 40)}`],
    ['a cursor of many parts', 400, `/v1/orgs?page=${long('.', 2000)}`],
    ['an input over tRPC', 400, `/trpc/users.me?input=${long('[')}`],
    ['parameters over tRPC', 200, `/trpc/users.me?${long('a=1&')}`],
    ['inputs of a batch', 400, `/trpc/users.me,users.me?batch=1&input=${long('[')}`],
    ['names of a batch', 400, `/trpc/${long('users.me,')}users.me?batch=1`],
    ['parameters of a connection', 400, `/trpc/users.me?connectionParams=${long('[')}`],
    ['tags', 200, '/v1/user', { 'if-none-match': long('"a",') }],
    ['tags that do not end', 200, '/v1/user', { 'if-none-match': long('W/') }],
    ['accepted types', 200, '/v1/user', { accept: long('a/b;q=0.1,') }],
    ['accepted encodings', 200, '/v1/user', { 'accept-encoding': long('br;q=0.1,') }],
    ['a token', 401, '/v1/user', { authorization: `Bearer ${long('a.')}` }],
    ['blanks before a token', 401, '/v1/user', { authorization: `Bearer${long(' ')}` }],
    ['the id of an event', 404, '/v1/orgs/none/events', { 'last-event-id': long('9') }],
    ['an address of the app', 404, `/app/spaces/${long('%41')}`],
    ['segments of a page', 404, `/sites/none/${long('~/')}`],
    ['segments of a preview', 404, `/preview/spaces/none/content/${long('~/')}`],
    ['the query of a page', 404, `/sites/none?${long('q=1&')}`],
    ['the token of a visitor', 404, `/sites/none?jwt_token=${long('a.')}`],
    ['tags of a page', 404, '/sites/none', { 'if-none-match': long('"a",') }],
    ['ranges', 404, '/files/none/none', { range: `bytes=${long('0-1,')}` }],
  ])('%s', async ([, status, url, headers]) => {
    const answer = await send(url, headers);
    expect(answer.statusCode).toBe(status);
    expect(answer.body.length).toBeLessThan(MAX_OUTPUT);
  });
});

/** Modules that decode HTTP requests themselves, which the tests above cover with hostile requests. */
const OVER_HTTP = [
  'server/auth/app-page.ts',
  'routers/sql/pagination.ts',
  'server/auth/saml.ts',
  'server/http/conditional.ts',
  'server/http/downloads.ts',
  'server/pages/page-responses.ts',
  'server/pages/pages.ts',
  'server/pages/preview.ts',
  'server/pages/visit.ts',
  'server/trpc/trpc-calls.ts',
  'server/trpc/trpc-subscriptions.ts',
  'server/trpc/trpc.ts',
];

/** Modules that decode only data from the service or its operator, or data that another module has decoded before. */
const TRUSTED_INPUT = [
  // The query of a signed URL.
  'routers/audit/audit-events.router.ts',
  // Backups that the operator restores.
  'server/backup/archive.ts',
  'server/backup/restore.ts',
  // Files for the typesetter.
  'server/pdf/pdf-file.ts',
  'server/pdf/pdf-writer.ts',
  // Imported archives, in a separate process: their size is limited, and may not exceed what they declare.
  'routers/imports/archive-source.ts',
  // Settings, and files that are part of the service.
  'server/client/index.ts',
  'server/client/pack.ts',
  'server/environment.ts',
  'server/storage/bucket-settings.ts',
  'server/database/database-source.ts',
  'server/embedded-postgres/binaries.ts',
  'server/http/openapi/schemas.ts',
  'server/pages/assets.ts',
  'server/search/settings.ts',
  // Responses of the service itself.
  'server/pages/content.ts',
  'server/pages/feeds.ts',
  'server/pages/site-styles.ts',
  'server/pages/specs.ts',
  'server/http/reference.ts',
  'server/urls.ts',
  // Paths of the service, and addresses of clients, which headers limit.
  'server/auth/visit.ts',
  'server/http/client-address.ts',
  'routers/auth/attempts.operation.ts',
  // Data that the service stored, or passed between processes.
  'routers/engine/document/serialized-document.ts',
  'routers/engine/search/inverted.ts',
  'routers/engine/store/objects.ts',
  'routers/engine/tasks/tasks.ts',
  'routers/engine/tasks/wire.ts',
  'routers/search/documents.operation.ts',
  'routers/search/texts.query.ts',
  'routers/specs/api-outlines.operation.ts',
  'routers/response/prebuilt-response.ts',
  'routers/webhooks/signature.ts',
  // Responses of the configured search engine, up to some megabytes.
  'server/search/opensearch-index.ts',
  // Responses of configured identity providers, decoded by a library.
  'server/identity-providers.ts',
  // URLs of the service itself, or URLs that were validated in input.
  'routers/audience/publishing-auth.router.ts',
  'routers/content/templates.query.ts',
  'routers/embeds/embeds.operation.ts',
  'routers/urls/resolve.query.ts',
  'routers/webhooks/webhooks.router.ts',
  // Files passed between the steps of generating a PDF.
  'server/pdf/prepare.ts',
  'server/pdf/typeset.ts',
  'server/pdf/typesetter.ts',
  // Password hashes and secrets that the service wrote.
  'routers/installation/secret.operation.ts',
  'server/passwords.ts',
  // Constants, and the status of an error.
  'routers/events/retention.operation.ts',
  'routers/pdf/retention.operation.ts',
  'server/pdf/fonts.ts',
  'routers/webhooks/retention.operation.ts',
  'server/http/http-errors.ts',
  // These only encode.
  'routers/response/downloads.ts',
  'routers/pdf/address.ts',
  'routers/engine/edit/link-labels.ts',
  'routers/engine/export/yaml-edit.ts',
  'routers/people/member-claims.ts',
  'routers/saml/messages.ts',
  'routers/response/output.ts',
  'server/http/compression.ts',
];

/** Matches decoders: packages, and functions of JavaScript. */
const PACKAGES =
  'fresh|image-size|ipaddr.js|jose|js-yaml|jsep|markdown-it|pg-connection-string|superjson|yauzl';
const MODULES = '@trpc/server/http|node:querystring|node:v8|node:zlib';
const CALLS = [
  `from '(?:${PACKAGES}|${MODULES})'`,
  '\\b(?:JSON[.]parse|parseJson|decodeURI|decodeURIComponent|unescape|atob|parseInt|parseFloat|BigInt|structuredClone)\\(',
  '\\.map\\(decodeURIComponent\\)',
  '\\b(?:domainToUnicode|domainToASCII|getDefaultJsonParser)\\(',
  "\\bnew (?:TextDecoder|URLSearchParams)\\(|\\bnew URL\\((?!'[^']*', import)|\\bURL[.](?:parse|canParse)\\(",
  "(?:\\bfrom|[.]write)\\([^;\n]*, '(?:base64|base64url|hex)'\\)",
  '[.]normalize\\(|\\bz[.](?:coerce|url|base64|jwt)\\b',
];
const DECODING = new RegExp(CALLS.join('|'));
const COMMENTS = /\/[*].*?[*]\/|(?<=^|\s)\/\/.*?$/gms;

describe('the list of modules that decode', () => {
  const listed = new Set([
    ...OVER_HTTP,
    ...TRUSTED_INPUT,
    ...Object.values(DECODERS).flatMap(({ modules }) => modules),
  ]);
  const modules = ['server', 'routers', 'schema'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => `${folder}/${path}`),
  );
  const decodes = (text: string) => DECODING.test(text.replace(COMMENTS, ''));

  test('every module that decodes is listed, either for input from callers or for data of the service', () => {
    const decoding = modules.filter((path) => decodes(readFileSync(join(ROOT, path), 'utf8')));
    expect(decoding.filter((path) => !listed.has(path))).toEqual([]);
    expect([...OVER_HTTP, ...TRUSTED_INPUT].filter((path) => !decoding.includes(path))).toEqual([]);
    expect([...listed].filter((path) => !modules.includes(path))).toEqual([]);
  });

  test.for([
    "import { load } from 'js-yaml';",
    "import superjson from 'superjson';",
    'const value = JSON.parse(text);',
    'const segments = path.map(decodeURIComponent);',
    "const bytes = Buffer.from(text.slice(1), 'base64');",
    "length += bytes.write(text, 0, 'base64');",
    'const url = new URL(address);',
    "const name = name.normalize('NFC');",
    'const Input = z.object({ url: z.url() });',
  ])('a module that decodes is detected by %j', (line) => {
    expect(decodes(`${line}\n`)).toBe(true);
    expect(decodes(`// ${line}\n/* ${line} */`)).toBe(false);
  });

  test.for([
    "const child = new URL('./worker.ts', import.meta.url);",
    "const text = bytes.toString('base64');",
    'const text = JSON.stringify(value);',
  ])('a module is not considered to decode because of %j', (line) => {
    expect(decodes(line)).toBe(false);
  });
});
