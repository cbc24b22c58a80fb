import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { makeFolder } from '../helpers/folders.ts';
import { docsPage } from './content-seed.ts';
import { median } from './processes.ts';

const IDENTITY = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
};

/**
 * Measures git, without a work tree, merging a branch with some changed files into a large repository whose main branch
 * has moved as well: the merge, its commit, and the update of the branch.
 * @returns the median in milliseconds
 */
export async function gitMerge(files: number, changed: number, rounds: number): Promise<number> {
  const folder = await makeFolder('bench-git');
  const git = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)('git', args, {
      cwd: folder,
      env: { ...process.env, ...IDENTITY },
    });
    return stdout.split('\n')[0] as string;
  };
  await git('init', '-q', '--bare', '-b', 'main');
  const write = async (branch: string, from: string, entries: [number, string][]) => {
    const child = spawn('git', ['fast-import', '--quiet', '--force'], {
      cwd: folder,
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    const head = `commit refs/heads/${branch}\ncommitter a <a@b> 1700000000 +0000\ndata 1\nx\n${from && `from ${from}\n`}`;
    const body = entries.map(
      ([number, text]) =>
        `M 644 inline chapter-${Math.floor(number / 100)}/page-${number}.md\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    );
    child.stdin.end(`${head}${body.join('')}\n`);
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error('git fast-import failed');
  };
  const text = docsPage(0);
  await write(
    'main',
    '',
    Array.from({ length: files }, (_, number) => [number, text]),
  );
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const edited = Array.from({ length: changed }, (_, i): [number, string] => [
      (round * changed + i * 97) % (files - 1),
      `${text}\nEdit ${round} ${i}\n`,
    ]);
    const base = await git('rev-parse', 'main');
    await write('change', base, edited);
    await write('main', base, [[files - 1, `${text}\nMain ${round}\n`]]);
    const started = performance.now();
    const tree = await git('merge-tree', '--write-tree', 'main', 'change');
    const commit = await git('commit-tree', tree, '-p', 'main', '-p', 'change', '-m', 'merge');
    await git('update-ref', 'refs/heads/main', commit);
    times.push(performance.now() - started);
  }
  await rm(folder, { recursive: true, force: true });
  return median(times);
}
