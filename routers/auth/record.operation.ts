import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Session } from '../../schema/entities/session.ts';
import { User } from '../../schema/entities/user.ts';
import type { SignInMethod } from '../../schema/enums.ts';
import type { Services } from '../base/context.ts';
import { recordAccountAction, setActor } from '../events/record.operation.ts';

/** A sign-in, a sign-out, or a failed sign-in. */
export type SignInEvent =
  | { kind: 'signed-in' | 'signed-out'; session: Session }
  /** A failed attempt; `user` is the one that it named, if there is such a user. */
  | {
      kind: 'refused';
      method: SignInMethod;
      user: string | null;
      /** The organization whose SAML provider it was. */
      organization?: string | undefined;
      address: string;
    };

/**
 * Records an event in its transaction; failures are counted instead, and recorded later. Nothing recorded contains a secret,
 * or text that somebody typed.
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
