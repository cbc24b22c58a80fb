import { createInterface } from 'node:readline/promises';

/** Asks whoever sits at the terminal; undefined if there is none. */
export async function prompt(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}
