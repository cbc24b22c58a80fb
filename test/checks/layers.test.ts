import { execFile } from 'node:child_process';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../helpers/folders.ts';

const ROOT = join(import.meta.dirname, '../..');
const CONFIG = '.dependency-cruiser.cjs';
const config = createRequire(import.meta.url)(join(ROOT, CONFIG)) as { forbidden: { name: string }[] };

/** A violation for each rule: a file, and the file that it imports. A rule without a row fails the last test. */
const VIOLATIONS: [rule: string, file: string, imported: string][] = [
  ['schema-is-the-core', 'schema/entities/planted.ts', '../../routers/plain.ts'],
  ['routers-know-no-server', 'routers/planted.router.ts', '../server/plain.ts'],
  ['commands-are-tools', 'server/cli/planted.ts', '../plain.ts'],
  ['no-tests-in-the-product', 'server/planted.ts', '../test/plain.ts'],
  ['one-table-of-contents', 'routers/spaces/planted.procedures.ts', './other.router.ts'],
  ['api-only-presents', 'routers/spaces/planted.api.ts', './other.query.ts'],
  ['operations-know-no-request', 'routers/spaces/planted.operation.ts', '@trpc/server'],
  ['computing-is-pure', 'routers/spaces/planted.ts', 'node:fs'],
  ['no-cycles', 'server/circle-back.ts', './circle.ts'],
  ['no-dev-dependencies-in-the-product', 'server/planted-development.ts', 'fast-check'],
  ['no-unlisted-packages', 'server/planted-package.ts', 'light-my-request'],
  ['resolvable', 'server/planted-nowhere.ts', './nowhere.ts'],
  ['engine-stands-alone', 'routers/engine/store/planted.ts', '../../plain.ts'],
  ['engine-has-no-folder-cycles', 'routers/engine/store/circle.ts', '../merge/plain.ts'],
  ['json-shapes-stand-alone', 'schema/json/planted.ts', '../plain.ts'],
  ['base-knows-no-feature', 'routers/base/planted.ts', '../installation/plain.api.ts'],
  ['features-are-listed', 'routers/unlisted.ts', './unlisted/plain.ts'],
  ...config.forbidden.flatMap(({ name }): [string, string, string][] => {
    const [, feature] = /^features-meet-one-way-(.+)$/.exec(name) ?? [];
    return feature ? [[name, `routers/${feature}/upwards.query.ts`, '../installation/plain.api.ts']] : [];
  }),
];

/** The imported files, which violate no rule by themselves. */
const HARMLESS: Record<string, string> = {
  'routers/plain.ts': '',
  'server/plain.ts': '',
  'test/plain.ts': '',
  'schema/plain.ts': '',
  'routers/engine/merge/plain.ts': '',
  'routers/engine/merge/circle.ts': "import '../store/plain.ts';\n",
  'routers/engine/store/plain.ts': '',
  'routers/unlisted/plain.ts': '',
  'routers/installation/plain.api.ts': '',
  'routers/spaces/other.router.ts': '',
  'routers/spaces/other.query.ts': '',
  'server/circle.ts': "import './circle-back.ts';\n",
};

let folder: string;
let found: { rule: string; from: string; to: string }[];
beforeAll(async () => {
  folder = await makeFolder('layers');
  const plant = async (file: string, source: string) => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), source);
  };
  for (const name of [CONFIG, 'package.json', 'tsconfig.json'])
    await cp(join(ROOT, name), join(folder, name));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const [file, source] of Object.entries(HARMLESS)) await plant(file, source);
  for (const [, file, imported] of VIOLATIONS) await plant(file, `import '${imported}';\n`);
  found = await violations();
}, 60_000);

/** Runs the check as `npm run check:layers` does. */
async function violations(): Promise<typeof found> {
  const program = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const args = [program, '--config', CONFIG, '--output-type', 'json', 'server', 'routers', 'schema', 'test'];
  const output = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 1 << 26 }, (error, stdout) =>
      stdout ? resolve(stdout) : reject(error),
    );
  });
  const { summary } = JSON.parse(output) as {
    summary: { violations: { rule: { name: string }; from: string; to: string }[] };
  };
  return summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to }));
}

test.for(VIOLATIONS)('%s reports the forbidden import in %s', ([rule, from]) => {
  // A rule about folders reports a folder.
  const named = rule.includes('folder') ? dirname(from) : from;
  expect(found).toContainEqual({ rule, from: named, to: expect.any(String) });
});

test('files that violate no rule are not reported', () => {
  const planted = new Set(VIOLATIONS.map(([, file]) => file));
  expect(found.filter(({ rule, from }) => !planted.has(from) && !rule.includes('folder'))).toEqual([]);
});

test('every rule has a test', () => {
  const tested = VIOLATIONS.map(([rule]) => rule);
  expect(tested.sort()).toEqual(config.forbidden.map(({ name }) => name).sort());
});
