/** The interfaces through which procedures use the running service; `server/` implements them. */

import type { KeyObject } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { TrackedEnvelope } from '@trpc/server';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import type { SourcePage } from '../engine/pdf/chapter.ts';
import type { Target } from '../engine/pdf/targets.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import type { EventObject } from '../events/events.api.ts';
import type { Db } from './db.ts';
import type { Actor, Origin } from './principal.ts';

/** The bytes of files, addressed by the SHA-256 of their content, so that equal files are stored once. */
export interface FileStorage {
  /** Stores bytes under their hash. If they are already stored, only their time is renewed. */
  put(sha256: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>;
  /** The bytes from `start` to `end`, both inclusive, or all of them. */
  read(sha256: string, range?: { start: number; end: number }): Promise<Readable>;
  /** The size in bytes; undefined if there is no such file. */
  size(sha256: string): Promise<number | undefined>;
  /** The hashes of all files. */
  list(): AsyncIterable<string>;
  /** The hashes of files last stored before a time. */
  listStale(before: Date): AsyncIterable<string>;
  /** Removes a file unless it was stored again since that time; returns whether it did. Safe during a `put` of it. */
  removeStale(sha256: string, before: Date): Promise<boolean>;
}

/** Finished work, as counted by metrics. */
export type MeasuredWork =
  | { work: 'merge'; outcome: 'merged' | 'conflicts' | 'failed' }
  | { work: 'import'; outcome: 'imported' | 'failed' }
  | { work: 'job'; queue: keyof Jobs; outcome: 'completed' | 'failed' }
  | { work: 'webhook-attempt'; outcome: 'delivered' | 'refused' | 'unanswered' };

/** Records the work of this process, for its metrics. */
export interface Measurements {
  record(work: MeasuredWork, seconds: number): void;
}

interface SpecJob {
  spec: string;
  processing: number;
  scheduled?: boolean;
}

/** The kind of a mail, and what it is about; `language` is the language of the page from which it was requested. */
export type MailJob =
  | { kind: 'password-reset'; email: string; language?: string | undefined }
  | { kind: 'email-verification'; user: string; language?: string | undefined }
  | { kind: 'invite'; invite: string };

/** The background jobs and the data of each. Handlers are idempotent: a job may run more than once. */
export interface Jobs {
  /** Removes spaces that were deleted more than 7 days ago. */
  'remove-deleted-spaces': Record<string, never>;
  /** Removes content that no revision refers to any more. */
  'collect-garbage': Record<string, never>;
  /** Records the conditions of pages in spaces that are older than these records. */
  'record-earlier-conditions': Record<string, never>;
  /** Adds the HTML of descriptions to versions of OpenAPI specs that were stored without it. */
  'describe-earlier-specs': Record<string, never>;
  /** Sends the pending deliveries of a webhook. */
  'deliver-webhook': { webhook: string; organization: string };
  /** Creates a version of an OpenAPI spec, if its content has changed. */
  'process-openapi-spec': SpecJob;
  /** The same for a spec given by URL, for which another server may be slow. */
  'fetch-openapi-spec': SpecJob;
  /** Processes the OpenAPI specs given by URL again. */
  'refresh-openapi-specs': Record<string, never>;
  /** Extracts the issues of the conversations that came with one request. */
  'extract-issues': { organization: string; batch: string };
  /** Describes clusters of issues, if the engine can. */
  'describe-clusters': { organization: string; clusters: string[] };
  /** Removes translations from the memory that have not been needed for a long time. */
  'remove-unused-translations': Record<string, never>;
  /** Runs a translation, unless another run has been requested since, or this one was cancelled. */
  'run-translation': { translation: string; run: number };
  /** Requests runs of the translations of spaces that have changed. */
  'refresh-translations': { spaces: string[] };
  /** Checks whether a custom hostname leads to the service and belongs to an organization. */
  'check-custom-hostname': { hostname: string; organization: string };
  /** Checks whether the host of a site's proxy belongs to the site's organization. */
  'check-proxy': { site: string };
  /** Checks custom hostnames and proxies again. */
  'recheck-hostnames': Record<string, never>;
  /** Fetches the metadata of an embedded URL. */
  'fetch-embed': { address: string };
  /** Removes the metadata of URLs that nobody has requested for a long time. */
  'remove-old-embeds': Record<string, never>;
  /** Indexes the changes in the spaces of an organization. */
  'index-for-search': { organization: string };
  /** Merges the segments of the search index of an organization. */
  'merge-search-segments': { organization: string };
  /** Indexes spaces that are older than the search index, or than its present format. */
  'index-earlier-spaces': Record<string, never>;
  /** Removes content that no space shows any more from search indexes. */
  'collect-search-garbage': Record<string, never>;
  /** Removes sessions, one-time tokens and counts of attempts that have expired. */
  'remove-expired-secrets': Record<string, never>;
  /** Sends a mail with a link, whose secret is made when it is sent. */
  'send-mail': MailJob;
  /** Removes events, deliveries and audit events that are no longer kept. */
  'remove-old-events': Record<string, never>;
  /** Makes a requested PDF. */
  'make-pdf': { pdf: string };
  /** Removes PDFs that have expired. */
  'remove-old-pdfs': Record<string, never>;
}

/** A job to enqueue. */
export interface Job<Name extends keyof Jobs> {
  data: Jobs[Name];
  /** Only a few jobs of a group, such as an organization, run at the same time. */
  group?: string;
  /** Jobs with a higher priority run first; 0 by default. */
  priority?: number;
  /** The seconds until it may run. */
  delay?: number;
}

export interface JobQueue {
  /** Enqueues jobs in the transaction of `db`, in one statement: they exist only if the transaction commits. */
  enqueue<Name extends keyof Jobs>(db: Db, name: Name, ...jobs: Job<Name>[]): Promise<void>;
}

/** A subscription to events, by a caller who may view what it is about. */
export interface Subscription {
  organization: string;
  /** Only events of this space, or of this change request of it. */
  space?: string | undefined;
  changeRequest?: string | undefined;
  /** The user, and the id of their token or session; the stream ends when that ends. */
  user: string;
  credential: string;
  /** The number of the event to start after. */
  after: number;
}

export interface LiveEvents {
  /**
   * Streams the events that the caller may view, in order, each with its id to resume after. Ends with an error when the token
   * or the permission to view ends, or when the reader is too slow. Without a signal, the reader has to end it.
   * @throws DomainError `too-many` for too many streams of one user or organization, `unavailable` for too many in all
   */
  subscribe(subscription: Subscription, signal?: AbortSignal): AsyncIterable<TrackedEnvelope<EventObject>>;
}

/** A page or reusable content that refers to an OpenAPI spec. */
export interface SpecReferrer {
  space: { id: string; title: string };
  kind: 'page' | 'reusable-content';
  id: string;
  title: string;
}

interface SpecReferrers {
  /** Some of the referrers that the user may view. */
  named: SpecReferrer[];
  /** How many there are in all. */
  count: number;
}

/**
 * Finds what refers to an OpenAPI spec in the current content of its organization's spaces, and names what the user may view,
 * or everything if there is no user. (The feature for specs must not import content.)
 */
export type FindSpecReferrers = (
  reading: { db: Db; engine: Engine },
  spec: { id: string; slug: string; organization: string },
  actor: Actor | undefined,
) => Promise<SpecReferrers>;

/**
 * Finds those of some versions of an OpenAPI spec that content names: the current content of spaces and of open change
 * requests, and all stored documents.
 */
export type FindNamedVersions = (
  reading: { db: Db; engine: Engine },
  spec: { id: string; slug: string; organization: string },
  versions: readonly string[],
) => Promise<Set<string>>;

/**
 * Whether a page that is shown to a visitor uses an OpenAPI spec, in the current content of some spaces, each with its
 * conditions as evaluated for the visitor.
 */
export type IsSpecVisible = (
  reading: { db: Db; engine: Engine },
  spec: { id: string; slug: string },
  spaces: readonly {
    of: { id: string; revision: string; root: string };
    conditions: ConditionEvaluator;
  }[],
) => Promise<boolean>;

/** A book to print, without the documents of its pages. */
export interface PrintedBook {
  title: string;
  subtitle: string;
  author: string;
  description: string;
  /** The time of the content, and the same as shown to readers. */
  time: Date;
  date: string;
  language: string | null;
  /** The heading of the table of contents. */
  texts: { contents: string };
  /** Whether it is a single page, which has no cover. */
  isSingle: boolean;
  pages: readonly (SourcePage & { document?: string | undefined })[];
  targets: readonly (readonly [string, Target])[];
}

interface Printed {
  /** The hash and the bytes of the file, which can be read until the draft is discarded. */
  sha256: string;
  size: number;
  bytes: AsyncIterable<Uint8Array>;
  /** The number of printed pages. */
  pages: number;
  /** What could not be shown, or only in a simplified form. */
  notes: readonly string[];
  /** Whether it conforms to PDF/UA-1, or is only tagged for assistive technology. */
  standard: 'ua-1' | 'tagged';
}

/** A book on its way to the typesetter, in a folder of its own. */
export interface BookDraft {
  /** Adds a document as JSON, under a name made of letters, digits, hyphens and underscores. */
  addDocument(name: string, json: string): Promise<void>;
  /** Adds a file that targets name by the hash of its bytes: a picture, or an OpenAPI spec. */
  addFile(sha256: string, bytes: Readable): Promise<void>;
  /**
   * Typesets the book as a PDF, in separate processes. What cannot be typeset is replaced by a note.
   * @throws DomainError `unavailable` if it takes too long as a whole
   * @throws if the typesetter does not work
   */
  typeset(book: PrintedBook, onProgress: (done: number, total: number) => void): Promise<Printed>;
  /** Removes the folder and stops what is running. */
  discard(): Promise<void>;
}

/** Typesets content as PDF. */
export interface Typesetter {
  open(): Promise<BookDraft>;
}

/** The import of an uploaded archive into a space. */
export interface ArchiveImport {
  spaceId: string;
  upload: string;
  source: string;
  changeRequest: boolean;
  dryRun: boolean;
}

/** The progress of an import. */
export interface ImportProgress {
  step: 'scan' | 'pages' | 'files' | 'save';
  done: number;
  total: number;
}

/** Who imports, with what and from where; no secrets. */
export interface ImportCaller {
  /** The id of the user. */
  user: string;
  credential: Actor['credential'];
  /** Undefined for tools. */
  origin: Origin | undefined;
}

/** Runs imports where they hold up nobody else. */
export interface ImportRunner {
  /**
   * Calls the procedure of the same name for a caller, in another process. What it records is attributed to the caller, as
   * in this process.
   * @throws DomainError what the procedure throws; `unavailable` if it takes too long or too much memory, or too many wait
   */
  importArchive(
    caller: ImportCaller,
    input: ArchiveImport,
    onProgress: (progress: ImportProgress) => void,
  ): Promise<unknown>;
}

/** Signs values that clients send back: list cursors, file URLs. */
export interface Signer {
  /** 16 bytes of HMAC-SHA-256 in base64url over the purpose and the text. */
  sign(purpose: string, text: string): string;
  verify(purpose: string, text: string, signature: string): boolean;
  /** Encrypts a text for storage; `open` throws if it was changed or sealed for another purpose. */
  seal(purpose: string, text: string): string;
  open(purpose: string, sealed: string): string;
  /** 256 bits to sign tokens of one kind with. */
  key(purpose: string): KeyObject;
}

/** The hosts of the service. */
export interface Hosting {
  /** The hostname of the service itself. */
  hostname: string;
  /** The domain whose subdomains are the hosts of organizations, if there is one. */
  sitesDomain: string | undefined;
  /** The absolute URL of another hostname of the service, without a trailing slash. */
  rootOf(hostname: string): string;
}

/** Builds all URLs in responses from the configured base, never from a request's Host header. */
export interface Urls {
  /** The absolute URL of an API object: `location('spaces', id)`. */
  location(...segments: string[]): string;
  /** The absolute URL of a path of the service. */
  absolute(path: string): string;
  /** The absolute URL of a page in the web app. */
  app(...segments: string[]): string;
  /** Where sites are published. */
  readonly hosting: Hosting;
}
