import { vi } from 'vitest';
import { main } from '../../server/cli/program.ts';

/** Runs a command to completion, in this process. */
export async function cli(...args: string[]) {
  const collect = (stream: NodeJS.WriteStream) => {
    const write = vi.spyOn(stream, 'write').mockReturnValue(true);
    return () => {
      const text = write.mock.calls.map(([chunk]) => String(chunk)).join('');
      write.mockRestore();
      return text;
    };
  };
  const stdout = collect(process.stdout);
  const stderr = collect(process.stderr);
  const code = await main(['node', 'cli', ...args]);
  return { code, stdout: stdout(), stderr: stderr() };
}
