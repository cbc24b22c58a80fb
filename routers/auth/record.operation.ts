import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Session } from '../../schema/entities/session.ts';
import type { SignInMethod } from '../../schema/enums.ts';
import type { Services } from '../context.ts';

/** What happens to the ways into the service. */
export type SignInEvent =
  | { kind: 'signed-in' | 'signed-out'; session: Session }
  /** Somebody who did not prove who they are; the user, if the attempt named one that exists. */
  | { kind: 'refused'; method: SignInMethod; user: string | null; address: string };

/** Records what happened, in its transaction. No secret, and no text that somebody typed, is part of it. */
export async function recordSignIn(
  _em: SqlEntityManager,
  { logger }: Pick<Services, 'logger'>,
  event: SignInEvent,
): Promise<void> {
  if (event.kind === 'refused') {
    const { method, user, address } = event;
    logger.warn({ method, user, address }, 'a sign-in was refused');
    return;
  }
  const { id, user, method, address } = event.session;
  logger.info(
    { session: id, user, method, address },
    event.kind === 'signed-in' ? 'signed in' : 'signed out',
  );
}
