import { requireUnrestrictedCredential } from '../access/credential-coverage.ts';
import type { Actor, SessionCredential } from '../base/principal.ts';
import { DomainError } from '../engine/errors.ts';

/**
 * The session of the caller. Tokens are refused: somebody who has got hold of one must not gain another way in.
 * @throws DomainError `forbidden` for a token, and for a session opened by an organization's identity provider
 */
export function requireSession({ actor: { credential } }: { actor: Actor }): SessionCredential {
  // guard: factor-session-only
  if (credential.kind !== 'session')
    throw new DomainError(
      'forbidden',
      'This requires signing in with a browser: it cannot be done with a token.',
    );
  // guard: account-whole-session
  requireUnrestrictedCredential({ credential });
  return credential;
}
