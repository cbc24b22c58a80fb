import type { Context } from '../base/context.ts';
import type { FindSpecReferrers, SpecReferrer } from '../base/ports.ts';
import type { Actor } from '../base/principal.ts';
import { DomainError } from '../engine/errors.ts';
import type { Engine } from '../engine/tasks/engine.ts';

/** How many places the message names. */
const MAX_NAMES = 3;

/**
 * Ensures that nothing uses an OpenAPI spec. May read many pages, so it must not run in a transaction.
 * @param actor only places that they may view are named; without an actor, all are
 * @throws DomainError `conflict` naming the places that use it
 */
export async function requireUnusedSpec(
  ctx: Pick<Context, 'db' | 'services'> & { engine: Engine },
  spec: Parameters<FindSpecReferrers>[1],
  actor: Actor | undefined,
): Promise<void> {
  const { named, count } = await ctx.services.findSpecReferrers(ctx, spec, actor);
  if (count === 0) return;
  const names = named.slice(0, MAX_NAMES).map(nameOf);
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
