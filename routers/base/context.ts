import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import type { User } from '../../schema/entities/user.ts';
import type { SignInMethod, TokenScope } from '../../schema/enums.ts';
import type { Database, Row } from '../../schema/rows.ts';
import type { Pass } from '../access/passes.ts';
import type { Attempts } from '../auth/attempts.operation.ts';
import type { SignInStep } from '../auth/sign-in.operation.ts';
import type { BranchHook, ObjectHook } from '../branches/hooks.ts';
import type { BranchQueue } from '../branches/queue.ts';
import type { Claims } from '../engine/expressions/claims.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import type { Engines } from '../engine/tasks/engines.ts';
import type { EventHook } from '../events/record.operation.ts';
import type { IssueEngine, TranslationEngine } from '../language-ports.ts';
import type {
  Dns,
  FileStorage,
  FindNamedVersions,
  FindSpecReferrers,
  IsSpecShown,
  JobQueue,
  LiveEvents,
  Outbound,
  Signer,
  Typesetter,
  Urls,
} from './ports.ts';
import type { IdentityProviders, Mailer, PasswordHasher, Refusals } from './sign-in-ports.ts';

/** Typed SQL over the tables, by column name. Inside a mutation it runs in the mutation's transaction. */
export type Db = Kysely<Database>;

/** The same as typed SQL in the transaction of a unit of work, if it is in one. */
export const kyselyOf = (em: SqlEntityManager): Db => em.getKysely<Database>();

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

export interface Logger {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** What procedures need from the running service. */
export interface Services {
  urls: Urls;
  signer: Signer;
  storage: FileStorage;
  typesetter: Typesetter;
  jobs: JobQueue;
  outbound: Outbound;
  issueEngine: IssueEngine;
  translationEngine: TranslationEngine;
  dns: Dns;
  liveEvents: LiveEvents;
  /** Follow each change of content, and new objects. */
  branchHooks: readonly BranchHook[];
  objectHooks: readonly ObjectHook[];
  /** Where writers of content in this process wait for each other. */
  branchQueue: BranchQueue;
  /** Called for the events of each transaction, in it. */
  eventHooks: readonly EventHook[];
  /** What may stand between proving who one is and a session, in this order. */
  signInSteps: readonly SignInStep[];
  sessionLimits: SessionLimits;
  attempts: Attempts;
  passwords: PasswordHasher;
  mailer: Mailer;
  identityProviders: IdentityProviders;
  findSpecReferrers: FindSpecReferrers;
  findNamedVersions: FindNamedVersions;
  isSpecShown: IsSpecShown;
  engines: Engines;
  /** The same for what anyone may send: it takes no worker from those who are signed in. */
  verifiers: Engines;
  /** The same for jobs: their work holds up no request. */
  background: Engines;
  /** How long after it was fetched a specification is fetched again, in minutes; 0 for never. */
  specRefresh: number;
  /** How long events and deliveries are kept, in days. */
  eventRetention: number;
  /** How long audit events are kept, in days; 0 for ever. */
  auditRetention: number;
  refusals: Refusals;
  logger: Logger;
}

/** How long sessions last, in milliseconds: in all, and without being used. */
export interface SessionLimits {
  lifetime: number;
  idle: number;
}

/** The context of every procedure: the caller's credentials, the database, and the services. */
export interface Context {
  /** Authenticates the caller, once per request, however many procedures a batch has. */
  authenticate(): Promise<Principal | null>;
  /**
   * Runs work in one transaction with a unit of work of its own, which is flushed before the commit. What it records is the
   * caller's.
   */
  transaction<Result>(work: (em: SqlEntityManager) => Promise<Result>): Promise<Result>;
  db: Db;
  services: Services;
  /** The cache tags of what the response depends on, for callers that are told. */
  dependencies?: Set<string>;
  /** The address of the client, which those without a token share with all who come from there. */
  address?(): string;
  /** Absent for tools. */
  browser?: Browser;
  /** Told of each call of a member about their organization. */
  noteSeen?(user: string, organization: string): void;
  /** Whether the caller takes values alone, so that a stored answer must be read for them. */
  needsPlainValues?: boolean;
}
