import type { Format } from './document.ts';

/** The formatting hints that remain valid for a node with changed content: all except its original Markdown. */
export function withoutSource(format: Format | undefined): Format | undefined {
  if (format?.source === undefined) return format;
  const { source: _, ...hints } = format;
  return Object.keys(hints).length > 0 ? hints : undefined;
}
