/** Prints a result. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Prints a note that is not part of the result. */
export const note = (text: string): void => void process.stderr.write(`${printable(text)}\n`);

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

/** Prints rows in columns below their names; nothing at all for no rows. */
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

/** Names are user input: each terminal control sequence is shown as one replacement character. */
export const printable = (text: string): string => text.replace(/\p{Cc}/gu, '\uFFFD');
