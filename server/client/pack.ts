/**
 * Builds the package of the typed client from the procedures of the service. npm runs it before and after `npm pack`:
 * `prepare` builds `dist/client` and replaces the manifest by one with only what the client needs, `restore` restores it.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';
import { appRouter } from '../../routers/index.ts';
import { recordOf } from '../trpc/trpc-internals.ts';
import { routerDeclarations } from './router-type.ts';

const ROOT = join(import.meta.dirname, '../..');
const OUT = join(ROOT, 'dist/client');
const SOURCE = join(import.meta.dirname, 'index.ts');
/** The import of the router's types in the source of the client. */
const ROUTER = "'../../routers/index.ts'";
const MANIFEST = join(ROOT, 'package.json');
const SAVED = join(ROOT, 'dist/package.json');

/**
 * Peer dependencies: a frontend that also uses them must share one copy with the client. The ranges start at the lowest
 * version that the client works with, because other packages pin theirs, such as @trpc/tanstack-react-query.
 */
const PEERS: Record<string, string> = { '@trpc/client': '^11.4.0', '@trpc/server': '^11.4.0' };

const COMPILER_OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
};

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

/** Writes the module of the client and its declarations; returns the packages that they import. */
async function build(): Promise<Set<string>> {
  const source = await readFile(SOURCE, 'utf8');
  if (!source.includes(ROUTER)) throw new Error(`${SOURCE} does not import ${ROUTER}`);
  const client = source.replace(ROUTER, "'./router.js'");
  const options = { fileName: SOURCE, compilerOptions: COMPILER_OPTIONS };
  const files = {
    'index.js': ts.transpileModule(client, options).outputText,
    'index.d.ts': ts.transpileDeclaration(client, options).outputText,
    'router.d.ts': routerDeclarations(recordOf(appRouter)),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(OUT, name), text);
  return new Set(Object.values(files).flatMap(packagesOf));
}

/** The packages that a module imports. */
function packagesOf(code: string): string[] {
  const specifiers = ts.preProcessFile(code).importedFiles.map(({ fileName }) => fileName);
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
    return [packageName, PEERS[packageName] ?? `^${range}`] as const;
  });
  const isPeer = ([packageName]: readonly [string, string]) => packageName in PEERS;
  await writeFile(SAVED, text);
  const slim = {
    name,
    version,
    description,
    license,
    type,
    // The entry for tools is left out: it needs the service, which is not in this package.
    exports: { './client': exports['./client'] },
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
