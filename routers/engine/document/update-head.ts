import type { Block } from './document.ts';

/** The date and the tags of an entry of a list of updates; no date if it is not valid. */
export function updateHead({ data = {} }: Block): { date: Date | undefined; tags: string[] } {
  const date = new Date(String(data.date ?? ''));
  const tags = Array.isArray(data.tags) ? data.tags : [];
  return {
    date: Number.isNaN(date.getTime()) ? undefined : date,
    tags: tags.flatMap((one: unknown) => {
      const name = (one as { tag?: unknown } | null)?.tag;
      return typeof name === 'string' ? [name] : [];
    }),
  };
}
