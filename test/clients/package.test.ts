import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AnyProcedure } from '@trpc/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appRouter } from '../../routers/index.ts';
import { makeFolder } from '../helpers/folders.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Packages that npm has cached are not looked up again. */
const install = (folder: string, packages: readonly string[]) =>
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', ...packages], {
    cwd: folder,
  });

/** The procedures that requests can call. */
const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, AnyProcedure>)
  .map(([name, { _def }]) => ({ name, type: _def.type }))
  .filter(({ name }) => !name.startsWith('installation.'));
const CALLS = { query: 'query', mutation: 'mutate', subscription: 'subscribe' } as const;

/** A program that calls the service, and one line that must not compile. */
const PROGRAM = `
import { createClient, isClientError, type Outputs } from 'colophon/client';

const [url = '', token = ''] = process.argv.slice(2);
const client = createClient({ url, token: async () => token });
const created: Outputs['organizations']['create'] = await client.organizations.create.mutate({ title: 'Typed' });
const [me, organization] = await Promise.all([
  client.users.me.query(),
  client.organizations.get.query({ organizationId: created.id }),
]);
const title: string = organization.title;
const logged: string[] = [];
const another = createClient({
  url,
  token,
  headers: { 'x-request-source': 'test' },
  fetch: (address, init) => (logged.push(String((init?.headers as Record<string, string>)['x-request-source'])), fetch(address, init)),
  logger: { logger: ({ direction, path }) => logged.push(direction + ' ' + path) },
});
await client.organizations.create.mutate({ title: 'Second' });
const first = await another.organizations.list.query({ limit: 1, cursor: null });
const second = await another.organizations.list.query({ limit: 1, cursor: first.next?.page ?? null });
const listed = [...first.items, ...second.items].map((one) => one.title);
// @ts-expect-error a title is text
const wrong = () => client.organizations.create.mutate({ title: 1 });
try {
  await client.organizations.get.query({ organizationId: 'nothing' });
} catch (error) {
  if (isClientError(error)) console.log(JSON.stringify({ title, user: me.id, status: error.data?.httpStatus, wrong: typeof wrong, listed, logged }));
}
`;

/**
 * Does not compile where any input or output is `any`, however deep, and says where. Types that contain themselves are
 * followed a few rounds.
 */
const NO_ANY = `
import type { Inputs, Outputs } from 'colophon/client';

type Plain = string | number | boolean | bigint | symbol | null | undefined;
type AnyIn<T, Path extends string, Depth extends 0[] = []> = 0 extends 1 & T
  ? Path
  : Depth['length'] extends 12
    ? never
    : T extends Plain
      ? never
      : T extends readonly (infer Item)[]
        ? AnyIn<Item, \`\${Path}[]\`, [...Depth, 0]>
        : { [Key in keyof T & string]-?: AnyIn<T[Key], \`\${Path}.\${Key}\`, [...Depth, 0]> }[keyof T & string];
type None<Places> = [Places] extends [never] ? 'none' : Places;

export const inInputs: None<AnyIn<Inputs, 'Inputs'>> = 'none';
export const inOutputs: None<AnyIn<Outputs, 'Outputs'>> = 'none';
`;

/**
 * Does not compile where the type of an input or output is not what the compiler infers from the procedure, with a line for
 * each. Members that may be missing are marked as such, because types that differ only in them are assignable.
 */
const agreement = () =>
  `
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { Inputs, Outputs } from './dist/client/index.d.ts';
import type { AppRouter } from './routers/index.ts';

type Marked<T> = T extends readonly (infer Item)[]
  ? Marked<Item>[]
  : T extends object
    ? { [Key in keyof T]-?: [{} extends Pick<T, Key> ? 'optional' : 'required', Marked<T[Key]>] }
    : T;
type Same<A, B> = [Marked<A>] extends [Marked<B>] ? ([Marked<B>] extends [Marked<A>] ? true : false) : false;
type Check<Claim extends true> = Claim;
type InferredInputs = inferRouterInputs<AppRouter>;
type InferredOutputs = inferRouterOutputs<AppRouter>;
${procedures.map(({ name }, index) => sameTypes(name, index)).join('\n')}
`;

const sameTypes = (name: string, index: number) => {
  const at = `['${name.split('.').join("']['")}']`;
  return ['Inputs', 'Outputs']
    .map(
      (side) => `export type ${side}${index} = Check<Same<${side}${at}, Inferred${side}${at}>>; // ${name}`,
    )
    .join('\n');
};

/** Names every procedure, so that one missing from the types does not compile. */
const everyProcedure = () => procedures.map(({ name, type }) => `client.${name}.${CALLS[type]};`);

const COMPILER_OPTIONS = {
  target: 'es2022',
  module: 'nodenext',
  // The last is required by tRPC's own declarations.
  lib: ['es2022', 'dom', 'esnext.disposable'],
  types: [],
  strict: true,
  skipLibCheck: false,
  noEmit: true,
};

/** The errors of a project. */
async function compile(folder: string): Promise<string[]> {
  const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc');
  // Several checkers would each infer the types of the procedures again.
  const { stdout } = await run(process.execPath, [compiler, '-p', folder, '--checkers', '1']).catch(
    (error) => error,
  );
  return stdout.split('\n').filter((line: string) => line !== '');
}

describe('the package of the typed client', { timeout: 600_000 }, () => {
  let folder: string;
  let copy: string;
  let project: string;
  let tarball: string;
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
    folder = await makeFolder('package');
    project = join(folder, 'project');
    await mkdir(project);
    // Packing temporarily changes the manifest, so it is done on a copy.
    copy = join(folder, 'copy');
    await mkdir(copy);
    for (const name of ['package.json', 'tsconfig.json', 'LICENSE', 'server', 'routers', 'schema']) {
      await cp(join(ROOT, name), join(copy, name), { recursive: true });
    }
    await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    const manifest = await readFile(join(copy, 'package.json'), 'utf8');
    const { stdout } = await run('npm', ['pack', '--json', '--silent', '--pack-destination', folder], {
      cwd: copy,
    });
    const [packed] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
    expect(packed?.files.map(({ path }) => path).sort()).toEqual([
      'LICENSE',
      'dist/client/index.d.ts',
      'dist/client/index.js',
      'dist/client/router.d.ts',
      'package.json',
    ]);
    expect(await readFile(join(copy, 'package.json'), 'utf8')).toBe(manifest);
    tarball = join(folder, packed?.filename ?? '');
    await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    await install(project, [tarball]);
  }, 600_000);
  afterAll(() => service.close());

  test('contains its client libraries and nothing of the service', async () => {
    const { dependencies, peerDependencies } = JSON.parse(
      await readFile(join(project, 'node_modules/colophon/package.json'), 'utf8'),
    );
    expect(Object.keys(dependencies)).toEqual(['eventsource', 'superjson']);
    expect(Object.keys(peerDependencies)).toEqual(['@trpc/client', '@trpc/server']);
  });

  test('shares its copy of tRPC with the project', async () => {
    const { packages } = JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8'));
    const copies = Object.keys(packages).filter((path) => path.includes('@trpc/'));
    expect(copies.sort()).toEqual(['node_modules/@trpc/client', 'node_modules/@trpc/server']);
  });

  test('type-checks strictly, libraries included, with every procedure in it', async () => {
    await writeFile(join(project, 'main.ts'), `declare const process: { argv: string[] };${PROGRAM}`);
    const every = `import type { Client } from 'colophon/client';\nexport const all = (client: Client) => {\n${everyProcedure().join('\n')}\n};\n`;
    await writeFile(join(project, 'every.ts'), every);
    await writeFile(join(project, 'no-any.ts'), NO_ANY);
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }));
    expect(await compile(project)).toEqual([]);
  });

  test('installs together with TanStack Query, in any order, and compiles with it as documented', async () => {
    const beside = [
      ...['@trpc/tanstack-react-query@11.22.1', '@tanstack/react-query@5', 'react@19', '@types/react@19'],
      // Required by the declarations of that version of tRPC.
      ...['@types/node@24', '@types/ws@8'],
    ];
    const readme = await readFile(join(ROOT, 'server/docs/clients.md'), 'utf8');
    const source = /^```tsx\n(.+?)^```$/ms.exec(readme)?.[1] ?? '';
    expect(source).toContain('useInfiniteQuery');
    const samples = [...readme.matchAll(/^```ts\n(.+?)^```$/gms)]
      .map(([, sample = '']) => sample)
      .filter((sample) => sample.includes("'colophon/client'"));
    expect(samples.length).toBeGreaterThan(1);
    const orders = [
      [[tarball], beside],
      [beside, [tarball]],
    ];
    for (const [index, steps] of orders.entries()) {
      const app = join(folder, `app-${index}`);
      await mkdir(app);
      await writeFile(join(app, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
      for (const packages of steps) await install(app, packages);
      const { packages } = JSON.parse(await readFile(join(app, 'package-lock.json'), 'utf8'));
      const copies = Object.keys(packages).filter((path) => /@trpc\/(client|server)$/.test(path));
      expect(copies.sort()).toEqual(['node_modules/@trpc/client', 'node_modules/@trpc/server']);
      await writeFile(join(app, 'frontend.tsx'), source);
      for (const [sample, text] of samples.entries()) await writeFile(join(app, `sample-${sample}.ts`), text);
      const given = {
        ...COMPILER_OPTIONS,
        types: ['node'],
        jsx: 'react-jsx',
        skipLibCheck: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
      };
      // Each of the two ways in which bundlers and Node.js find modules, in one of the projects.
      const resolution =
        index === 0 ? { module: 'nodenext' } : { module: 'esnext', moduleResolution: 'bundler' };
      await writeFile(
        join(app, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: { ...given, ...resolution } }),
      );
      expect(await compile(app)).toEqual([]);
    }
  });

  test('the package of the typed client has the types that the compiler infers from the procedures', async () => {
    const source = agreement();
    await writeFile(join(copy, 'agreement.ts'), source);
    // The documented script compiles with it, without the rest of the checkout.
    const files = ['../agreement.ts', '../server/docs/examples/merge-approved.ts'];
    const config = { extends: '../tsconfig.json', include: [], files };
    await writeFile(join(copy, 'dist/tsconfig.json'), JSON.stringify(config));
    const lines = source.split('\n');
    const wrong = await compile(join(copy, 'dist'));
    const sourceOf = (line: string) => lines[Number(/agreement\.ts\((\d+),/.exec(line)?.[1]) - 1] ?? line;
    expect(wrong.map(sourceOf)).toEqual([]);
  });

  test('the package of the typed client calls a running service', async () => {
    const base = await service.app.listen({ port: 0, host: '127.0.0.1' });
    const person = await service.build.user();
    await writeFile(join(project, 'run.ts'), PROGRAM);
    const { stdout } = await run(process.execPath, ['run.ts', base, person.token], { cwd: project });
    const call = ['up organizations.list', 'test', 'down organizations.list'];
    const more = { listed: ['Second', 'Typed'], logged: [...call, ...call] };
    expect(JSON.parse(stdout)).toEqual({
      title: 'Typed',
      user: person.id,
      status: 404,
      wrong: 'function',
      ...more,
    });
  });
});
