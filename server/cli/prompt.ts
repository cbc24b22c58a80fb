import { createInterface } from 'node:readline/promises';

/** Asks a question at the terminal, and returns the reply; undefined if there is no terminal. */
export async function prompt(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}
