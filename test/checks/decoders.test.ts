/** Every module that decodes something is listed: its decoder is tested with hostile input, unless nobody can send it any. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DECODERS } from '../growth/decoders.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Modules that decode HTTP requests themselves: `test/growth/decoders.test.ts` sends hostile requests. */
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
  'server/http/openapi/examples.ts',
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
  'routers/search/repeated-searches.ts',
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
  'routers/search/leaf-packs.ts',
  'routers/specs/api-outlines.operation.ts',
  'routers/response/prebuilt-response.ts',
  'routers/webhooks/signature.ts',
  'schema/migrations/Migration20261129093631.ts',
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
