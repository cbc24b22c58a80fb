/** The interfaces through which people are signed in, and written to; `server/` implements them. */

import type { SignInMethod } from '../../schema/enums.ts';
import type { Db } from './db.ts';

/** Somebody who was not let in. */
export interface AuthFailure {
  action: 'session.refused' | 'token.refused';
  /** Why, in a word or two: how they attempt to sign in, or what is wrong with a token. */
  reason: string;
  /** The user, if the attempt named one that exists. */
  user?: string | null | undefined;
  /** The organization whose sign-in it was. */
  organization?: string | null | undefined;
  address?: string | undefined;
  userAgent?: string | null | undefined;
}

/** Where refusals are counted, for the audit log. */
export interface AuthFailureLog {
  record(failure: AuthFailure): void;
}

/** A mail to one person, as plain text. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Sends mail, if the configuration names a server for it. */
export interface Mailer {
  /** Without one, links are given out by the command line, or passed on by those who make them. */
  isConfigured: boolean;
  /** @throws if the server does not take it */
  send(mail: Mail): Promise<void>;
}

/** Hashes passwords, which takes processors and threads: always in turn. */
export interface PasswordHasher {
  /**
   * Does work around a password, with what it asks the database: a few at once, and those of one address one by one, so that
   * a flood of passwords leaves processors, threads and connections to everybody else.
   * @throws DomainError `too-many` or `unavailable` if too many wait
   */
  withLimit<Result>(address: string, work: () => Promise<Result>): Promise<Result>;
  hash(password: string): Promise<string>;
  /** Whether it is the password of a hash. Takes as long for null, which is the hash of none. */
  verify(password: string, hash: string | null): Promise<boolean>;
  /** Whether a hash was made with other parameters than are used now. */
  isOutdated(hash: string): boolean;
}

/** A provider that signs people in, by the configuration. */
export interface IdentityProvider {
  /** As in its URLs. */
  name: string;
  /** As on buttons. */
  label: string;
  /** For whom it makes users who have none: for invited people, or for all whom it vouches for. */
  signUp: 'invited' | 'anyone';
}

/** What a provider says of somebody. */
export interface Identity {
  issuer: string;
  /** What the issuer calls them, which it calls nobody else. */
  subject: string;
  /** Only if the provider says that it has verified it. */
  email: string | undefined;
  name: string | undefined;
}

/** What ties the answer of a provider to the request. */
export interface PendingAuthorization {
  state: string;
  nonce: string;
  /** Of PKCE. */
  verifier: string;
}

/** Signs people in with OpenID Connect, or as GitHub does. */
export interface IdentityProviders {
  list: readonly IdentityProvider[];
  /**
   * Makes the URL that a browser is sent to.
   * @throws DomainError `not-found` for a provider that is not configured, `unavailable` for one that does not answer
   */
  start(name: string, request: PendingAuthorization & { redirectUrl: string }): Promise<string>;
  /**
   * Finds out who came back, by the URL that they were sent to.
   * @throws DomainError the same, and `unauthenticated` unless the provider vouches for them, to us, in answer to the request
   */
  finish(name: string, answer: string, pending: PendingAuthorization): Promise<Identity>;
}

/** How a user proved who they are. */
export interface Proof {
  method: SignInMethod;
  /** Who vouched for the user: the issuer of OpenID Connect, or the id of a SAML provider. */
  provider?: string | undefined;
  /** The organization that the SAML provider is of. */
  organization?: string | undefined;
  /** Whether they gave a second factor, or something that counts as two, such as a passkey with its PIN. */
  secondFactor: boolean;
  /** When the session ends at the latest, in milliseconds since 1970, if whoever vouched for the user says so. */
  endsAt?: number | undefined;
}

/** A user who proved who they are, and the own path that they go to next. */
export interface SignIn extends Proof {
  user: string;
  returnTo: string;
}

/** What may stand between that proof and a session. */
export interface SignInStep {
  /** The page where it is done. */
  path: string;
  isNeeded(db: Db, signIn: SignIn): Promise<boolean>;
}

/** What is attempt, and by the same name however it is written. */
export interface AttemptKey {
  bound: 'account' | 'address' | 'secondFactor' | 'begin' | 'mail' | 'mailFrom';
  of: string;
}

/** Counts attempts in the database, so that all processes bound them together. */
export interface Attempts {
  /**
   * Counts an attempt before it is made, so that many at once are bounded, too.
   * @throws DomainError `too-many` beyond any of the bounds
   */
  count(db: Db, attempt: readonly AttemptKey[]): Promise<void>;
  /** Takes an attempt back that was no failure. */
  refund(db: Db, attempt: readonly AttemptKey[]): Promise<void>;
}
