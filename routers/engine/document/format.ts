import type { Format } from './document.ts';

/** The hints that remain valid for a node whose content changed: all but the Markdown that it was read from. */
export function withoutSource(format: Format | undefined): Format | undefined {
  if (format?.source === undefined) return format;
  const { source: _, ...hints } = format;
  return Object.keys(hints).length > 0 ? hints : undefined;
}
