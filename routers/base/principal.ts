import type { User } from '../../schema/entities/user.ts';
import type { SignInMethod, TokenScope } from '../../schema/enums.ts';
import type { Row } from '../../schema/rows.ts';
import type { Claims } from '../engine/expressions/claims.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';

/** The caller, and what they showed. */
export interface Actor {
  kind: 'user';
  user: Row<User>;
  credential: TokenCredential | SessionCredential | ToolCredential;
}

interface TokenCredential {
  kind: 'token';
  id: string;
  scope: TokenScope;
  /** The only organization that it is for; null for all of its user's. */
  organization: string | null;
}

/** The operator's word: a tool with access to the database acts as the user. */
interface ToolCredential {
  kind: 'tool';
  /** That of the user. */
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
  /** The organization whose SAML provider vouched for the user: it is for this one alone. */
  organization: string | null;
  secondFactor: boolean;
}

/** The browser that sends a request, which keeps the token of its session. */
export interface Browser {
  /** What the browser is by its own account, cut off; null if it does not say. */
  userAgent: string | null;
  /** The address of the client. */
  address: string;
  /** Whether a page of this service sends the request. */
  isOwn: boolean;
  /** A token that the browser keeps for this service; it need not be valid. */
  token(name: BrowserToken): string | undefined;
  /** Has the browser keep a token until it expires, instead of the one it has; null makes it forget that one. */
  keep(name: BrowserToken, token: { secret: string; expiresAt: Date } | null): void;
}

/** What a browser keeps tokens of: its session, a sign-in under way, here or at a provider, and the forms that it is shown. */
export type BrowserToken = 'session' | 'sign_in' | 'oidc' | 'saml' | 'form';

/** Tools with direct access to the database; never a request. */
interface Operator {
  kind: 'operator';
}

/**
 * What lets a visitor into a site. It stands in their token and is compared with the site on each read, so that a change
 * of the site ends what the token reaches at once.
 */
export interface Pass {
  /** Id of the share link that they came by. */
  link?: string | undefined;
  /** Fingerprint of the site's signing key, if they were authenticated with it, or if an admin gave them a preview. */
  key?: string | undefined;
  /** Whether it is a preview, which shows the site whatever its visibility, and before it is published. */
  preview?: true | undefined;
}

/** A reader of one published site, with a short-lived token for it. */
export interface Visitor {
  kind: 'visitor';
  /** Ids of the site and of its organization. */
  site: string;
  organization: string;
  /** What let them in, which is looked at again with each read. */
  pass: Pass;
  claims: Claims;
  /** Evaluates conditions with these claims, throughout the request. */
  conditions: ConditionEvaluator;
}

/** The caller. */
export type Principal = Actor | Operator | Visitor;
