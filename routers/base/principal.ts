import type { User } from '../../schema/entities/user.ts';
import type { SignInMethod, TokenScope } from '../../schema/enums.ts';
import type { Row } from '../../schema/rows.ts';
import type { Claims } from '../engine/expressions/claims.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';

/** A user who calls, with the credential that they used. */
export interface Actor {
  kind: 'user';
  user: Row<User>;
  credential: TokenCredential | SessionCredential | ToolCredential;
}

interface TokenCredential {
  kind: 'token';
  id: string;
  scope: TokenScope;
  /** The only organization that it may be used in; null for all of its user's. */
  organization: string | null;
}

/** No credential is needed: a tool with access to the database acts as the user. */
interface ToolCredential {
  kind: 'tool';
  /** The id of the user. */
  id: string;
  scope: 'write';
  organization: null;
}

/** A session may do whatever its user may. */
export interface SessionCredential {
  kind: 'session';
  id: string;
  scope: 'write';
  method: SignInMethod;
  /** The organization whose SAML provider opened it, and the only one that it may be used in; null for other sessions. */
  organization: string | null;
  secondFactor: boolean;
}

/** Where a request comes from. */
export interface Origin {
  address?: string | undefined;
  /** The `User-Agent` header, truncated. */
  userAgent?: string | null | undefined;
  /** The id of the request. */
  request?: string | undefined;
}

/** The browser that sends a request, with the tokens that it keeps as cookies. */
export interface Browser {
  /** The `User-Agent` header, truncated; null if there is none. */
  userAgent: string | null;
  /** The address of the client. */
  address: string;
  /** Whether a page of this service sent the request. */
  isSameOrigin: boolean;
  /** A token that the browser keeps for this service; it need not be valid. */
  token(name: BrowserToken): string | undefined;
  /** Sets a token, which the browser keeps until it expires; null removes it. */
  setToken(name: BrowserToken, token: { secret: string; expiresAt: Date } | null): void;
}

/** The tokens of a browser: for its session, for pending sign-ins here or at a provider, and for forms. */
export type BrowserToken = 'session' | 'sign_in' | 'oidc' | 'saml' | 'form';

/** A tool with direct access to the database; never a request. */
interface Operator {
  kind: 'operator';
}

/**
 * What admits a visitor to a site. It is part of their token and is compared with the site on each read, so that changing the
 * site immediately ends access with tokens issued before.
 */
export interface Pass {
  /** The id of the share link that they used. */
  link?: string | undefined;
  /** The fingerprint of the site's signing key, if they were authenticated with it, or use a preview. */
  key?: string | undefined;
  /** Whether it is a preview, which shows the site whatever its visibility, and before it is published. */
  preview?: true | undefined;
}

/** A reader of a published site, with a short-lived token for it. */
export interface Visitor {
  kind: 'visitor';
  /** The ids of the site and of its organization. */
  site: string;
  organization: string;
  /** What admits them, which is checked again on each read. */
  pass: Pass;
  claims: Claims;
  /** Evaluates conditions with these claims; one evaluator per request. */
  conditions: ConditionEvaluator;
}

/** The caller. */
export type Principal = Actor | Operator | Visitor;
