import { expect, test } from 'vitest';
import { cli } from './cli-harness.ts';

/** The help of a command and of all commands below it, by command. */
async function helpOf(command: string[] = []): Promise<[string, string][]> {
  const { code, stdout } = await cli(...command, '--help');
  expect(code).toBe(0);
  const [, listed = ''] = /\nCommands:\n([\s\S]*?)\n(?:\n|$)/.exec(stdout) ?? [];
  const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name);
  const below = [];
  for (const name of names) if (name !== 'help') below.push(...(await helpOf([...command, name])));
  return [[command.join(' '), stdout], ...below];
}

test('every command has help of at most 80 columns, which says which options are required', async () => {
  const helps = await helpOf();
  expect(helps.length).toBeGreaterThan(40);
  for (const [command, text] of helps) {
    expect(text).toContain(`Usage: npm run cli -- ${command}`.trimEnd());
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    // One spelling everywhere.
    if (text.includes('--organization ')) expect(text, command).toContain('  --org, --organization <org>');
  }
  const byCommand = new Map(helps);
  const required = (command: string) =>
    [
      ...(byCommand.get(command) ?? '')
        .replace(/\n {10,}/g, ' ')
        .matchAll(/^ {2}(--[a-z-]+) .*\(required\)$/gm),
    ].map(([, option]) => option);
  expect(required('import')).toEqual(['--space']);
  expect(required('invite create')).toEqual(['--role']);
  expect(required('user create')).toEqual(['--email', '--name']);
  const printing = [
    'user create',
    'token list',
    'org create',
    'member remove',
    'import',
    'export',
    'space list',
  ];
  for (const command of printing) expect(byCommand.get(command), command).toContain('--json');
  expect(byCommand.get('openapi')).not.toContain('--json');
});

test('a misspelt option is named, also if it was meant to be one that is required', async () => {
  for (const [misspelt, meant, ...command] of [
    ['--spce', '--space', 'import', 'folder'],
    ['--usr', '--user', 'token', 'create'],
    ['--rle', '--role', 'invite', 'create'],
  ] as [string, string, ...string[]][])
    expect(await cli(...command, misspelt, 'x')).toEqual({
      code: 2,
      stdout: '',
      stderr: `unknown option '${misspelt}' (Did you mean ${meant}?)\n`,
    });
  const missing = await cli('import', 'folder');
  expect(missing).toMatchObject({ code: 2, stderr: "required option '--space <title>' not specified\n" });
  expect((await cli('import', '--spce', 'x', '--help')).stdout).toContain('(required)');
});
