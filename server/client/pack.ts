/**
 * Builds the package of the typed client from the service's own types. npm runs it around `npm pack`: `prepare` builds
 * `dist/client` and installs a manifest with only what the client needs, `restore` restores the original.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { routerDeclarations } from './router-type.ts';

const ROOT = join(import.meta.dirname, '../..');
const OUT = join(ROOT, 'dist/client');
const EMITTED = join(ROOT, 'dist/emitted');
const MANIFEST = join(ROOT, 'package.json');
const SAVED = join(ROOT, 'dist/package.json');

/** Peer dependencies: a frontend that also uses them must share one copy with the client. */
const PEERS = ['@trpc/client', '@trpc/server'];

const command = process.argv[2];
if (command === 'prepare') await prepare();
else if (command === 'restore') await restore();
else throw new Error('usage: pack.ts prepare|restore');

async function prepare(): Promise<void> {
  await restore();
  await rm(OUT, { recursive: true, force: true });
  await mkdir(OUT, { recursive: true });
  const used = await build();
  await slimManifest(used);
}

/** Writes `index.js` and `index.d.ts`; returns the packages that they import. */
async function build(): Promise<Set<string>> {
  const errors = await emit();
  await copyFile(join(EMITTED, 'server/client/index.js'), join(OUT, 'index.js'));
  await emptyTypes(join(EMITTED, 'routers/context.d.ts'));
  await writeFile(join(EMITTED, 'routers/trpc.d.ts'), 'export interface Meta {}\n');
  const index = await readFile(join(ROOT, 'routers/index.ts'), 'utf8');
  await writeFile(join(EMITTED, 'routers/index.d.ts'), routerDeclarations(index));

  const bundle = await rollup({
    input: join(EMITTED, 'server/client/index.d.ts'),
    plugins: [dts()],
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
  });
  const { output } = await bundle.write({ file: join(OUT, 'index.d.ts'), format: 'es' });
  await bundle.close();
  await rm(EMITTED, { recursive: true, force: true });

  const [{ code, moduleIds }] = output;
  const modules = moduleIds.map((id) => id.replace(`${EMITTED}/`, '').replace(/\.d\.ts$/, '.ts'));
  const broken = errors.filter((line) => modules.some((module) => line.startsWith(`${module}(`)));
  if (broken.length > 0) throw new Error(`The types of the client cannot be written:\n${broken.join('\n')}`);
  return new Set([...packagesOf(code), ...packagesOf(await readFile(join(OUT, 'index.js'), 'utf8'))]);
}

/** Empties the types of a module that callers do not need: the context of procedures with all that it refers to. */
async function emptyTypes(file: string): Promise<void> {
  const names = [...(await readFile(file, 'utf8')).matchAll(/^export (?:interface|type) (\w+)/gm)];
  await writeFile(file, names.map(([, name]) => `export interface ${name} {}\n`).join(''));
}

/**
 * Compiles the client with everything that its types reach, and returns the declarations that the compiler could not
 * emit.
 */
async function emit(): Promise<string[]> {
  const config = join(ROOT, 'dist/tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    noCheck: true,
    declaration: true,
    rootDir: ROOT,
    outDir: EMITTED,
  };
  const extended = {
    extends: '../tsconfig.json',
    compilerOptions,
    include: [],
    files: ['../server/client/index.ts'],
  };
  await writeFile(config, JSON.stringify(extended));
  const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc');
  try {
    await promisify(execFile)(process.execPath, [compiler, '-p', config], { cwd: ROOT, maxBuffer: 1 << 26 });
    return [];
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    // Types of internal modules may be too large to emit, and are not needed.
    if (!stdout?.includes('error TS')) throw error;
    return stdout.split('\n').filter((line) => line.includes('error TS'));
  } finally {
    await rm(config, { force: true });
  }
}

/** The packages that a module imports. */
function packagesOf(code: string): string[] {
  const specifiers = [...code.matchAll(/(?:from|import\()\s*['"]([^'"]+)['"]/g)].map(
    ([, name]) => name as string,
  );
  const external = specifiers.filter((name) => !name.startsWith('.') && !isBuiltin(name));
  return external.map((name) =>
    name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/'),
  );
}

async function slimManifest(used: Set<string>): Promise<void> {
  const text = await readFile(MANIFEST, 'utf8');
  const { name, version, description, license, type, exports, files, dependencies } = JSON.parse(text);
  const needed = [...used].sort().map((packageName) => {
    const range = dependencies[packageName];
    if (!range) throw new Error(`${packageName} is not among the dependencies`);
    return [packageName, `^${range}`] as const;
  });
  const isPeer = ([packageName]: readonly [string, string]) => PEERS.includes(packageName);
  await writeFile(SAVED, text);
  const slim = {
    name,
    version,
    description,
    license,
    type,
    exports,
    files,
    dependencies: Object.fromEntries(needed.filter((one) => !isPeer(one))),
    peerDependencies: Object.fromEntries(needed.filter(isPeer)),
  };
  await writeFile(MANIFEST, `${JSON.stringify(slim, null, 2)}\n`);
}

async function restore(): Promise<void> {
  if (!existsSync(SAVED)) return;
  await copyFile(SAVED, MANIFEST);
  await rm(SAVED);
}
