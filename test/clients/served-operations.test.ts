import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { operations } from '../contract/operations.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const withoutNames = (path: string) => path.replace(/\{\w+\}|:\w+/g, '{}');

const served = new Set(operations.map(({ method, path }) => `${method} ${withoutNames(path)}`));

/** The operations that a published client knows. */
const known = (name: string): string[] =>
  [...read(`node_modules/${name}/dist/client.d.ts`).matchAll(/@request ([A-Z]+):(\S+)/g)].map(
    ([, method, path]) => `${method} ${withoutNames(String(path))}`,
  );

test.for([
  ['0.146', '@gitbook/api'],
  ['0.202', 'gitbook-api-newest'],
] as const)(
  'the documentation says how many operations of the published client %s are served',
  ([version, name]) => {
    const all = known(name);
    expect(all.length).toBeGreaterThan(300);
    const count = all.filter((operation) => served.has(operation)).length;
    expect(read('server/docs/clients.md').replace(/\s+/g, ' ')).toContain(
      `${count} of the ${all.length} operations of ${version}`,
    );
    expect(read('README.md').replace(/\s+/g, ' ')).toContain(
      `${count} of ${all.length} operations of ${version}`,
    );
  },
);
