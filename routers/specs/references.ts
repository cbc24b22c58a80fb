import type { Context } from '../base/context.ts';
import type { FindSpecReferrers, SpecReferrer } from '../base/ports.ts';
import type { Actor } from '../base/principal.ts';
import { DomainError } from '../engine/errors.ts';
import type { Engine } from '../engine/tasks/engine.ts';

/** How many are named in one sentence. */
const NAMED = 3;

/**
 * Refuses if anything uses a specification. It may read many pages: not for a transaction.
 * @param actor what they may view is named; all of it without one
 * @throws DomainError `conflict` that names what uses it
 */
export async function requireUnusedSpec(
  ctx: Pick<Context, 'db' | 'services'> & { engine: Engine },
  spec: Parameters<FindSpecReferrers>[1],
  actor: Actor | undefined,
): Promise<void> {
  const { named, count } = await ctx.services.findSpecReferrers(ctx, spec, actor);
  if (count === 0) return;
  const names = named.slice(0, NAMED).map(nameOf);
  const others = count - names.length;
  if (others > 0)
    names.push(`${others} ${names.length > 0 ? 'other ' : ''}${others === 1 ? 'place' : 'places'}`);
  const details = named.map((referrer) => ({
    path: 'specSlug',
    message: `It is used by ${nameOf(referrer)}.`,
  }));
  const message = `It is used by ${names.join(', ')}; it can be deleted with force=true.`;
  throw new DomainError('conflict', message, details);
}

const nameOf = ({ kind, id, title, space }: SpecReferrer): string =>
  `the ${kind.replace('-', ' ')} "${title}" (${id}) in the space "${space.title}" (${space.id})`;
