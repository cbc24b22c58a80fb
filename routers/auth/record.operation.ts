import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Session } from '../../schema/entities/session.ts';
import { User } from '../../schema/entities/user.ts';
import type { SignInMethod } from '../../schema/enums.ts';
import type { Services } from '../base/context.ts';
import { recordAccountAction, setActor } from '../events/record.operation.ts';

/** What happens to the ways into the service. */
export type SignInEvent =
  | { kind: 'signed-in' | 'signed-out'; session: Session }
  /** Somebody who did not prove who they are; the user, if the attempt named one that exists. */
  | {
      kind: 'refused';
      method: SignInMethod;
      user: string | null;
      /** The organization whose own sign-in it was. */
      organization?: string | undefined;
      address: string;
    };

/**
 * Records what happened, in its transaction; refusals are counted first. No secret, and no text that somebody typed, is part
 * of it.
 */
export async function recordSignIn(
  em: SqlEntityManager,
  { logger, authFailures }: Pick<Services, 'logger' | 'authFailures'>,
  event: SignInEvent,
): Promise<void> {
  if (event.kind === 'refused') {
    const { method, user, organization, address } = event;
    authFailures.record({ action: 'session.refused', reason: method, user, organization, address });
    return;
  }
  const { id, user, method, address } = event.session;
  const { displayName, email } = await em.findOneOrFail(User, user);
  setActor(em, { id: user, displayName, email, credential: id });
  recordAccountAction(em, user, {
    action: event.kind === 'signed-in' ? 'session.created' : 'session.ended',
    targetType: 'session',
    target: id,
    payload: { method },
  });
  logger.info(
    { session: id, user, method, address },
    event.kind === 'signed-in' ? 'signed in' : 'signed out',
  );
}
