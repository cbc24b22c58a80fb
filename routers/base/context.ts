import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Engines } from '../engine/tasks/engines.ts';
import type { Db } from './db.ts';
import type { BranchHook, BranchQueue, EventHook, ObjectHook } from './hooks.ts';
import type { IssueEngine, TranslationEngine } from './language-ports.ts';
import type { Dns, Outbound } from './outbound-ports.ts';
import type {
  FileStorage,
  FindNamedVersions,
  FindSpecReferrers,
  ImportProgress,
  ImportRunner,
  IsSpecShown,
  JobQueue,
  LiveEvents,
  Measurements,
  Signer,
  Typesetter,
  Urls,
} from './ports.ts';
import type { Browser, Principal } from './principal.ts';
import type { SearchEngine } from './search-ports.ts';
import type {
  Attempts,
  AuthFailureLog,
  IdentityProviders,
  Mailer,
  PasswordHasher,
  SignInStep,
} from './sign-in-ports.ts';

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
  /** Runs imports elsewhere; without it, they run in this process, which has nothing else to do. */
  importRunner: ImportRunner | undefined;
  /** Told how far an import is, in the process of an import runner; without it, events tell. */
  onImportProgress?: (progress: ImportProgress) => void;
  jobs: JobQueue;
  outbound: Outbound;
  issueEngine: IssueEngine;
  translationEngine: TranslationEngine;
  /** What has the postings of search indexes; without it, they are in the database. */
  searchEngine: SearchEngine | undefined;
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
  authFailures: AuthFailureLog;
  measurements: Measurements;
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
  recordActivity?(user: string, organization: string): void;
  /** Whether the caller takes values alone, so that a stored answer must be read for them. */
  needsPlainValues?: boolean;
}
