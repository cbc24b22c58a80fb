import type { SpecReferrers } from '../ports.ts';

/** What refers to a specification as an error that names it; undefined if nothing does. */
export function usageProblem({
  named,
  count,
}: SpecReferrers): { message: string; details: { path: string; message: string }[] } | undefined {
  if (count === 0) return undefined;
  const details = named.map(({ kind, title, id, space }) => ({
    path: 'specSlug',
    message: `It is used by the ${kind.replace('-', ' ')} "${title}" (${id}) in the space "${space.title}" (${space.id}).`,
  }));
  const places = count === 1 ? 'one place' : `${count} places`;
  const shown = named.length < count ? `; ${named.length} are named` : '';
  return { message: `The specification is used in ${places}${shown}. It can be deleted with force=true.`, details };
}
