import { requireUnrestrictedCredential } from '../access/credential-coverage.ts';
import type { Actor, SessionCredential } from '../base/principal.ts';
import { DomainError } from '../engine/errors.ts';

/**
 * The session of the caller: whoever got hold of a token must not make themselves another way in.
 * @throws DomainError `forbidden` for a token, and for a session that an organization's own provider vouched for
 */
export function requireSession({ actor: { credential } }: { actor: Actor }): SessionCredential {
  if (credential.kind !== 'session')
    throw new DomainError(
      'forbidden',
      'This can be done only by whoever is signed in in a browser, not with a token.',
    );
  requireUnrestrictedCredential({ credential });
  return credential;
}
