import { readVisitorToken } from '../routers/access/visitor-token.ts';
import { hashSecret } from '../routers/auth/sessions.operation.ts';
import { batchedStatement, type Operand } from '../routers/batched-statement.ts';
import type { Actor, Browser, Context, Db, Principal, Services, Visitor } from '../routers/context.ts';
import { DomainError } from '../routers/engine/errors.ts';
import { hashToken } from '../routers/people/tokens.operation.ts';
import { User } from '../schema/entities/user.ts';
import { columnsOf } from '../schema/rows.ts';
import type { DatabaseHandle } from './database.ts';
import { memberSightings } from './member-sightings.ts';
import { sessionUses } from './session-uses.ts';
import { tokenUses } from './token-uses.ts';

const BEARER = /^Bearer +(\S+) *$/i;

/** The context of a request over HTTP, where callers are users, or visitors of a site. */
export interface RequestContext extends Context {
  authenticate(): Promise<Actor | Visitor | null>;
  browser: Browser;
  /** The caller, once `authenticate` has run. */
  caller?: Actor | Visitor | null;
}

/** Creates the context of one request from its `Authorization` header, or without one from the session of its browser. */
export function contextFactory(database: DatabaseHandle, services: Services) {
  const { db } = database;
  const byToken = tokenAuthenticator(db, services);
  const bySession = sessionAuthenticator(db, services);
  const noteSeen = memberSightings(db, services);
  return (authorization: string | undefined, browser: Browser): RequestContext => {
    let caller: Promise<Actor | Visitor | null> | undefined;
    const findCaller = async () => {
      // A token beside a session counts alone, valid or not.
      context.caller = await (authorization === undefined ? bySession(browser) : byToken(authorization));
      return context.caller;
    };
    const context: RequestContext = {
      authenticate: () => (caller ??= findCaller()),
      transaction: (work) => database.transaction(work),
      db,
      services,
      dependencies: new Set(),
      address: () => browser.address,
      browser,
      noteSeen,
    };
    return context;
  };
}

/**
 * The context of tools with direct access to the database: they may call the operator's procedures, and act as a user.
 */
export function toolContext(
  database: DatabaseHandle,
  services: Services,
  principal: Principal = { kind: 'operator' },
): Context {
  return {
    authenticate: async () => principal,
    transaction: (work) => database.transaction(work),
    db: database.db,
    services,
  };
}

/** The context of background jobs: as for tools, but statements outside transactions have no time limit. */
export const jobContext = (database: DatabaseHandle, services: Services): Context => ({
  ...toolContext(database, services),
  db: database.background,
});

const readToken = batchedStatement((db, hash: Operand) =>
  db
    .selectFrom('api_token')
    .innerJoin('user', 'user.id', 'api_token.user_id')
    .select(columnsOf(User))
    .select([
      'api_token.id as tokenId',
      'api_token.scope as tokenScope',
      'api_token.organization_id as tokenOrganization',
      'api_token.expires_at as tokenExpiresAt',
      'api_token.last_used_at as tokenLastUsedAt',
    ])
    .where('api_token.hash', '=', hash)
    .where('user.disabled_at', 'is', null),
);

/**
 * The visitor that a bearer token was made for, or its owner, in one statement; null for an unknown or expired token, or of a disabled user.
 */
function tokenAuthenticator(
  db: Db,
  services: Services,
): (authorization: string) => Promise<Actor | Visitor | null> {
  const { signer } = services;
  const recordUse = tokenUses(db, services);
  return async (authorization) => {
    const token = BEARER.exec(authorization)?.[1];
    if (!token) return null;
    const visitor = await readVisitorToken(signer, token);
    if (visitor) return visitor;
    const row = await readToken(db, hashToken(token));
    if (!row) return null;
    const { tokenId, tokenScope, tokenOrganization, tokenExpiresAt, tokenLastUsedAt } = row;
    if (tokenExpiresAt && Date.parse(String(tokenExpiresAt)) <= Date.now()) return null;
    recordUse(tokenId, tokenLastUsedAt && String(tokenLastUsedAt));
    // The user is the row itself: leaving out what else it holds would copy it.
    return {
      kind: 'user',
      user: row,
      credential: { kind: 'token', id: tokenId, scope: tokenScope, organization: tokenOrganization },
    };
  };
}

const readSession = batchedStatement((db, hash: Operand) =>
  db
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.user_id')
    .select(columnsOf(User))
    .select([
      'session.id as sessionId',
      'session.method as sessionMethod',
      'session.organization_id as sessionOrganization',
      'session.second_factor as sessionSecondFactor',
      'session.expires_at as sessionExpiresAt',
      'session.idle_expires_at as sessionIdleExpiresAt',
      'session.last_seen_at as sessionLastSeenAt',
    ])
    .where('session.hash', '=', hash)
    .where('user.disabled_at', 'is', null),
);

/**
 * The user who is signed in in a browser, in one statement; null without a session, or if it has ended.
 * @throws DomainError `forbidden` if the request comes from a page of another origin
 */
function sessionAuthenticator(db: Db, services: Services): (browser: Browser) => Promise<Actor | null> {
  const recordUse = sessionUses(db, services);
  return async (browser) => {
    const secret = browser.token('session');
    if (secret === undefined) return null;
    if (!browser.isOwn) throw new DomainError('forbidden', FOREIGN_PAGE);
    const row = await readSession(db, hashSecret(secret));
    if (!row) return null;
    const now = Date.now();
    if (Date.parse(String(row.sessionExpiresAt)) <= now) return null;
    if (Date.parse(String(row.sessionIdleExpiresAt)) <= now) return null;
    recordUse(row.sessionId, String(row.sessionLastSeenAt));
    return {
      kind: 'user',
      user: row,
      credential: {
        kind: 'session',
        id: row.sessionId,
        scope: 'write',
        method: row.sessionMethod,
        organization: row.sessionOrganization,
        secondFactor: row.sessionSecondFactor,
      },
    };
  };
}

const FOREIGN_PAGE =
  'A session counts only for requests of the pages of this service: elsewhere, send an access token.';
