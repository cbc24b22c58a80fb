import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client, TestService } from '../helpers/service.ts';
import { processSpecs, startSpecService } from '../helpers/specs.ts';

const require = createRequire(import.meta.url);

/**
 * Documents of others: those of a package of examples, and with OPENAPI_EXAMPLES all in another folder, such
 * as `generated` of the package @octokit/openapi.
 */
const FOLDERS = [
  dirname(require.resolve('@readme/oas-examples/package.json')),
  ...(process.env.OPENAPI_EXAMPLES ? [process.env.OPENAPI_EXAMPLES] : []),
];

const NOT_EXAMPLES = /(^|\/)(package\.json|test\/|node_modules\/)/;
const LIMIT = 20 * 1024 * 1024;

const examples = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(json|ya?ml)$/.test(name) && !NOT_EXAMPLES.test(name))
    .map((name) => join(folder, name)),
);

let service: TestService;
let admin: Client;
let base: string;
beforeAll(async () => {
  ({ service, admin, base } = await startSpecService());
});
afterAll(() => service.close());

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

// biome-ignore lint/suspicious/noExplicitAny: any document
function operationsIn(document: any): number {
  const { paths = {} } = document;
  // In some documents, a path refers to another one.
  const pathOf = (ref: string) => ref.replace('#/paths/', '').replaceAll('~1', '/');
  // biome-ignore lint/suspicious/noExplicitAny: any document
  return Object.values<any>(paths)
    .flatMap((item) => Object.keys(item.$ref ? paths[pathOf(item.$ref)] : item))
    .filter((key) => METHODS.includes(key)).length;
}

/** Removes the HTML of descriptions. */
const withoutHtml = (document: object): unknown =>
  JSON.parse(JSON.stringify(document), (name, value) =>
    name === 'x-gitbook-description-html' ? undefined : value,
  );

describe('a published document has a version with the same meaning', () => {
  test.each(examples.map((path, index) => [relative(process.cwd(), path), path, index] as const))(
    '%s',
    async (_, path, index) => {
      const text = readFileSync(path, 'utf8');
      const at = `${base}/example-${index}`;
      const { status } = await admin.put(at, { source: { text } });
      if (statSync(path).size > LIMIT) {
        expect([400, 413]).toContain(status);
        return;
      }
      expect(status).toBe(200);
      await processSpecs(service);
      const { body: spec } = await admin.get(at);
      expect(spec.lastProcessedErrors).toBeUndefined();
      expect(spec.processingState).toBe('complete');
      const document = load(text);
      const { body: version } = await admin.get(`${at}/versions/latest`);
      expect(version.operations).toBe(operationsIn(document));
      const { body: content } = await admin.get(`${at}/versions/latest/content`);
      expect(withoutHtml(content.filesystem[0].specification)).toEqual(document);
    },
    60_000,
  );
});
