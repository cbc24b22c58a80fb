import { once } from 'node:events';
import { SingleBar } from 'cli-progress';
import { codeOf } from '../../routers/base/error-code.ts';

/** Prints a result. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/**
 * Prints one line of many, at the pace of their reader.
 * @returns whether the reader wants more: false if it has closed the pipe, as `head` does
 */
export async function printLine(text: string): Promise<boolean> {
  const { stdout } = process;
  if (!stdout.writable) return false;
  if (stdout.write(`${text}\n`)) return true;
  try {
    await once(stdout, 'drain');
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EPIPE') throw error;
    return false;
  }
}

/** A number of things: "1 file", "2 files". */
export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Prints a note that is not part of the result. */
export const note = (text: string): void => void process.stderr.write(`${printable(text)}\n`);

/** A progress bar on standard error; without a terminal, an occasional line. */
export const progressBar = (format: string): SingleBar =>
  new SingleBar({
    format,
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    noTTYOutput: true,
    notTTYSchedule: 5000,
  });

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

/** Prints rows as a table with a header; prints nothing if there are no rows. */
export function printTable<Column extends string>(columns: Column[], rows: Record<Column, string>[]): void {
  if (rows.length === 0) return;
  const lines = [
    columns.map((column) => column.toUpperCase()),
    ...rows.map((row) => columns.map((column) => printable(row[column]))),
  ];
  const widths = columns.map((_, index) =>
    lines.reduce((width, line) => Math.max(width, line[index]?.length ?? 0), 0),
  );
  for (const line of lines) {
    print(
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

/** A text without control characters, since names are user input and could hold terminal escape sequences. */
export const printable = (text: string): string => text.replace(/\p{Cc}/gu, '\uFFFD');
