import type { SpecReferrer, SpecReferrers } from '../ports.ts';

/** How many are named in one sentence. */
const NAMED = 3;

/** What uses a specification as an error that names it; undefined if nothing does. */
export function usageProblem({
  named,
  count,
}: SpecReferrers): { message: string; details: { path: string; message: string }[] } | undefined {
  if (count === 0) return undefined;
  const names = named.slice(0, NAMED).map(nameOf);
  const others = count - names.length;
  if (others > 0)
    names.push(`${others} ${names.length > 0 ? 'other ' : ''}${others === 1 ? 'place' : 'places'}`);
  const details = named.map((referrer) => ({
    path: 'specSlug',
    message: `It is used by ${nameOf(referrer)}.`,
  }));
  return { message: `It is used by ${names.join(', ')}; it can be deleted with force=true.`, details };
}

const nameOf = ({ kind, id, title, space }: SpecReferrer): string =>
  `the ${kind.replace('-', ' ')} "${title}" (${id}) in the space "${space.title}" (${space.id})`;
