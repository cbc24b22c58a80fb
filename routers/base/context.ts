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
  IsSpecVisible,
  JobQueue,
  LiveEvents,
  Measurements,
  Signer,
  Typesetter,
  Urls,
} from './ports.ts';
import type { Browser, Origin, Principal } from './principal.ts';
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
  /** Called with the progress of an import, in the process of an import runner; without it, events report the progress. */
  onImportProgress?: (progress: ImportProgress) => void;
  jobs: JobQueue;
  outbound: Outbound;
  issueEngine: IssueEngine;
  translationEngine: TranslationEngine;
  /** The engine with the postings of search indexes; without it, they are in the database. */
  searchEngine: SearchEngine | undefined;
  dns: Dns;
  liveEvents: LiveEvents;
  /** The hooks for changes of content, and for new objects. */
  branchHooks: readonly BranchHook[];
  objectHooks: readonly ObjectHook[];
  /** Where the writers of content in this process wait for each other. */
  branchQueue: BranchQueue;
  /** The hooks for the events of each transaction, called in it. */
  eventHooks: readonly EventHook[];
  /** The steps that may be required, in this order, between authentication and a session. */
  signInSteps: readonly SignInStep[];
  sessionLimits: SessionLimits;
  attempts: Attempts;
  passwords: PasswordHasher;
  mailer: Mailer;
  identityProviders: IdentityProviders;
  findSpecReferrers: FindSpecReferrers;
  findNamedVersions: FindNamedVersions;
  isSpecVisible: IsSpecVisible;
  engines: Engines;
  /** The same for what anyone may send, so that it takes no worker from users who are signed in. */
  verifiers: Engines;
  /** The same for jobs, so that their work holds up no request. */
  background: Engines;
  /** How long after it was fetched an OpenAPI spec is fetched again, in minutes; 0 for never. */
  specRefresh: number;
  /** How long events and deliveries are kept, in days. */
  eventRetention: number;
  /** How long audit events are kept, in days; 0 for forever. */
  auditRetention: number;
  authFailures: AuthFailureLog;
  measurements: Measurements;
  logger: Logger;
}

/** How long sessions last, in milliseconds: in total (`lifetime`), and without being used (`idle`). */
export interface SessionLimits {
  lifetime: number;
  idle: number;
}

/** The context of every procedure: the caller's credentials, the database, and the services. */
export interface Context {
  /** Authenticates the caller, once per request, however many procedures it batches. */
  authenticate(): Promise<Principal | null>;
  /**
   * Runs work in a transaction with its own unit of work, which is flushed before the commit. What it records is attributed
   * to the caller.
   */
  transaction<Result>(work: (em: SqlEntityManager) => Promise<Result>): Promise<Result>;
  db: Db;
  services: Services;
  /** Collects the cache tags of the response; absent for callers that do not get them. */
  dependencies?: Set<string>;
  /** Whether a visitor's list of pages includes hidden ones: for the service's own pages of sites, which do not show the list. */
  listsHidden?: boolean;
  /** Absent for tools. */
  browser?: Browser;
  /** Where the request comes from; absent for tools. Callers without a token are identified by its address. */
  origin?(): Origin;
  /** Called after each call of a member about their organization. */
  recordActivity?(user: string, organization: string): void;
  /** Whether the caller needs plain values, so that a prebuilt response must be parsed. */
  needsPlainValues?: boolean;
}
