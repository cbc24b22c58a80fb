/** The interfaces for signing people in and sending them mail; `server/` implements them. */

import type { SignInMethod } from '../../schema/enums.ts';
import type { Db } from './db.ts';

/** A failed authentication. */
export interface AuthFailure {
  action: 'session.refused' | 'token.refused';
  /** A word or two: the method of the sign-in, or the problem with the token. */
  reason: string;
  /** The user, if the attempt named one that exists. */
  user?: string | null | undefined;
  /** The organization whose SAML provider it was. */
  organization?: string | null | undefined;
  address?: string | undefined;
  userAgent?: string | null | undefined;
}

/** Counts failed authentications, for the audit log. */
export interface AuthFailureLog {
  record(failure: AuthFailure): void;
}

/** A plain-text mail to one person. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Sends mail, if a mail server is configured. */
export interface Mailer {
  /** If it is not, links come from the command line, or are passed on by those who create them. */
  isConfigured: boolean;
  /** @throws if the server does not accept it */
  send(mail: Mail): Promise<void>;
}

/** Hashes passwords, which is expensive, so that concurrency is limited. */
export interface PasswordHasher {
  /**
   * Runs work that hashes a password, with its database queries: only a few at a time, and only one per address, so that a
   * flood of passwords leaves processors, threads and connections to everybody else.
   * @throws DomainError `too-many` or `unavailable` if too many wait
   */
  withLimit<Result>(address: string, work: () => Promise<Result>): Promise<Result>;
  hash(password: string): Promise<string>;
  /** Whether a password matches a hash. Takes the same time for null, which stands for no password and never matches. */
  verify(password: string, hash: string | null): Promise<boolean>;
  /** Whether a hash was made with other parameters than those in use now. */
  isOutdated(hash: string): boolean;
}

/** A configured identity provider. */
export interface IdentityProvider {
  /** The name in URLs. */
  name: string;
  /** The name on buttons. */
  label: string;
  /** Who gets an account when they sign in without one: invited people, or anyone that it authenticates. */
  signUp: 'invited' | 'anyone';
}

/** A person, as identified by a provider. */
export interface Identity {
  issuer: string;
  /** The id of the person at the issuer. */
  subject: string;
  /** Undefined unless the provider says that it has verified the address. */
  email: string | undefined;
  name: string | undefined;
}

/** The secrets that bind the response of a provider to the request. */
export interface PendingAuthorization {
  state: string;
  nonce: string;
  /** The code verifier of PKCE. */
  verifier: string;
}

/** Signs people in with OpenID Connect, or as GitHub does. */
export interface IdentityProviders {
  list: readonly IdentityProvider[];
  /**
   * Makes the URL that a browser is sent to.
   * @throws DomainError `not-found` for a provider that is not configured, `unavailable` for one that does not respond
   */
  start(name: string, request: PendingAuthorization & { redirectUrl: string }): Promise<string>;
  /**
   * Identifies the person that a provider sent back, by the URL that it sent them to.
   * @throws DomainError the same, and `unauthenticated` unless the response is valid, for us, and belongs to the request
   */
  finish(name: string, callbackUrl: string, pending: PendingAuthorization): Promise<Identity>;
}

/** How a user authenticated. */
export interface Proof {
  method: SignInMethod;
  /** The identity provider: the issuer of OpenID Connect, or the id of a SAML provider. */
  provider?: string | undefined;
  /** The organization of the SAML provider. */
  organization?: string | undefined;
  /** Whether they used a second factor, or something that counts as two, such as a passkey with its PIN. */
  secondFactor: boolean;
  /** When the session has to end, in milliseconds since 1970, if the identity provider says so. */
  endsAt?: number | undefined;
}

/** A user who has authenticated, and the path to send them to. */
export interface SignIn extends Proof {
  user: string;
  returnTo: string;
  /** If they authenticated by password, when that was set: with a newer one, the sign-in is void. */
  passwordChangedAt?: string | undefined;
  /** If they authenticated by a passkey, its id: once it is removed, the sign-in is void. */
  passkey?: string | undefined;
}

/** A step that may be required between authentication and a session. */
export interface SignInStep {
  /** The path of its page. */
  path: string;
  isNeeded(db: Db, signIn: SignIn): Promise<boolean>;
}

/** What an attempt counts towards: a limit, and a subject in normalized form, such as an account. */
export interface AttemptKey {
  limit: 'account' | 'address' | 'secondFactor' | 'begin' | 'mail' | 'mailFrom' | 'invite' | 'inviteFrom';
  subject: string;
  /** How much it counts: 1 by default. */
  weight?: number;
}

/** Counts attempts in the database, so that limits apply to all processes together. */
export interface Attempts {
  /**
   * Counts an attempt before it is made, so that concurrent attempts are limited, too.
   * @throws DomainError `too-many` beyond any of the limits
   */
  count(db: Db, attempt: readonly AttemptKey[]): Promise<void>;
  /** Takes back an attempt that succeeded. */
  refund(db: Db, attempt: readonly AttemptKey[]): Promise<void>;
}
