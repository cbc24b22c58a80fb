import { sql } from 'kysely';
import { verifyVisitorToken } from '../routers/access/visitor-token.ts';
import type { Context, Services } from '../routers/base/context.ts';
import type { Db } from '../routers/base/db.ts';
import type { ImportCaller } from '../routers/base/ports.ts';
import type { Actor, Browser, Origin, Principal, Visitor } from '../routers/base/principal.ts';
import { hashSecret } from '../routers/base/secrets.ts';
import { DomainError } from '../routers/engine/errors.ts';
import {
  type Attribution,
  anonymousAttribution,
  SERVICE_ATTRIBUTION,
  userAttribution,
} from '../routers/events/audit-event.ts';
import { setAttribution } from '../routers/events/record.operation.ts';
import { batchedStatement, type Operand } from '../routers/sql/batched-statement.ts';
import { User } from '../schema/entities/user.ts';
import { columnsOf } from '../schema/rows.ts';
import type { DatabaseHandle } from './database/database.ts';
import { memberActivity } from './usage/member-activity.ts';
import { sessionUses } from './usage/session-uses.ts';
import { tokenUses } from './usage/token-uses.ts';

/** The form of a visitor's token. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

const BEARER = /^Bearer +(\S+) *$/i;

/** The context of an HTTP request, whose caller is a user or a visitor of a site. */
export interface RequestContext extends Context {
  authenticate(): Promise<Actor | Visitor | null>;
  /** Makes the next {@link authenticate} read the credential again: it may have been revoked meanwhile. */
  forgetCaller(): void;
  browser: Browser;
  /** The caller, once `authenticate` has run. */
  caller?: Actor | Visitor | null;
}

/**
 * Makes the function that creates the context of a request from its `Authorization` header or, without one, from the
 * session of its browser.
 */
export function contextFactory(database: DatabaseHandle, services: Services) {
  const { db } = database;
  const byToken = tokenAuthenticator(db, services);
  const bySession = sessionAuthenticator(db, services);
  const recordActivity = memberActivity(db, services);
  return (authorization: string | undefined, browser: Browser, request?: string): RequestContext => {
    let caller: Promise<Actor | Visitor | null> | undefined;
    const findCaller = async () => {
      // If there is a token, valid or not, the session is ignored.
      // guard: session-beside-token
      context.caller = await (authorization === undefined
        ? bySession(browser)
        : byToken(authorization, browser));
      return context.caller;
    };
    const origin = () => ({ address: browser.address, userAgent: browser.userAgent, request });
    const context: RequestContext = {
      authenticate: () => (caller ??= findCaller()),
      forgetCaller: () => {
        caller = undefined;
      },
      transaction: (work) =>
        database.transaction((em) => {
          // Unless a procedure is public, its caller has been authenticated by now.
          // guard: audit-cause
          setAttribution(em, requestCause(context.caller, origin()));
          return work(em);
        }),
      db,
      services,
      dependencies: new Set(),
      browser,
      origin,
      recordActivity,
    };
    return context;
  };
}

/** The cause of what a request does. */
function requestCause(caller: Actor | Visitor | null | undefined, origin: Origin): Attribution {
  if (caller?.kind !== 'user') return anonymousAttribution(origin);
  const { kind, id } = caller.credential;
  return userAttribution(caller.user, { source: kind === 'session' ? 'ui' : 'api', credential: id }, origin);
}

/** The cause of what a tool does, acting as the operator or as a user. */
const toolCause = (principal: Principal): Attribution =>
  principal.kind === 'user'
    ? userAttribution(principal.user, { source: 'script' })
    : { actor: { type: 'system', id: 'operator' }, source: 'script' };

/** The context of tools with direct access to the database, which may call operator procedures and act as a user. */
export function toolContext(
  database: DatabaseHandle,
  services: Services,
  principal: Principal = { kind: 'operator' },
  cause = toolCause(principal),
): Context {
  return {
    authenticate: async () => principal,
    transaction: (work) =>
      database.transaction((em) => {
        setAttribution(em, cause);
        return work(em);
      }),
    db: database.db,
    services,
    needsPlainValues: true,
  };
}

/**
 * The same for a tool that acts as a user. The user is read again for each call, so disabling them takes effect at once.
 * @throws DomainError `forbidden` for a disabled user
 */
export const userContext = (database: DatabaseHandle, services: Services, id: string): Promise<Context> =>
  delegatedContext(database, services, {
    user: id,
    credential: { kind: 'tool', id, scope: 'write', organization: null },
    origin: undefined,
  });

/**
 * The same for another process that does a part of what a caller has requested: with the same credential, which limits what
 * it may do, and with the same cause.
 * @throws DomainError `forbidden` for a disabled user
 */
export async function delegatedContext(
  database: DatabaseHandle,
  services: Services,
  { user: id, credential, origin }: ImportCaller,
): Promise<Context> {
  const read = async (): Promise<Actor> => {
    const user = await database.db
      .selectFrom('user')
      .select(columnsOf(User))
      .where('id', '=', id)
      .where('disabled_at', 'is', null)
      .executeTakeFirst();
    if (!user) throw new DomainError('forbidden', 'This user is disabled.');
    return { kind: 'user', user, credential };
  };
  const actor = await read();
  const cause = origin && requestCause(actor, origin);
  return { ...toolContext(database, services, actor, cause), authenticate: read };
}

/** The context of background jobs: as for tools, but statements outside transactions have no time limit. */
export const jobContext = (database: DatabaseHandle, services: Services): Context => ({
  ...toolContext(database, services, { kind: 'operator' }, SERVICE_ATTRIBUTION),
  db: database.background,
});

const readToken = batchedStatement((db, hash: Operand) =>
  // guard: token-disabled-users
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
 * Makes the function that finds the owner of a bearer token in one statement, or the visitor it was issued to; null if the
 * token is unknown or expired, or its owner disabled.
 */
function tokenAuthenticator(
  db: Db,
  services: Services,
): (authorization: string, browser: Browser) => Promise<Actor | Visitor | null> {
  const { signer, authFailures } = services;
  const logFailure = ({ address, userAgent }: Browser, reason: string, user?: string) =>
    authFailures.record({ action: 'token.refused', reason, user, address, userAgent });
  const recordUse = tokenUses(db, services);
  return async (authorization, browser) => {
    const token = BEARER.exec(authorization)?.[1];
    if (!token) return null;
    const visitor = await verifyVisitorToken(signer, token);
    if (visitor) return visitor;
    const row = await readToken(db, hashSecret(token));
    if (!row) {
      // Visitors' tokens are short-lived: an expired one is nothing to report.
      // guard: audit-visitor-tokens
      if (!JWT.test(token)) logFailure(browser, 'unknown');
      return null;
    }
    const { tokenId, tokenScope, tokenOrganization, tokenExpiresAt, tokenLastUsedAt } = row;
    // guard: token-expiry
    if (tokenExpiresAt && Date.parse(String(tokenExpiresAt)) <= Date.now()) {
      logFailure(browser, 'expired', row.id);
      return null;
    }
    recordUse(tokenId, tokenLastUsedAt && String(tokenLastUsedAt));
    // The row itself serves as the user: dropping its other columns would mean a copy.
    return {
      kind: 'user',
      user: row,
      credential: { kind: 'token', id: tokenId, scope: tokenScope, organization: tokenOrganization },
    };
  };
}

const readSession = batchedStatement((db, hash: Operand) =>
  // guard: session-disabled-users
  db
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.user_id')
    .select(columnsOf(User))
    .select([
      'session.id as sessionId',
      'session.method as sessionMethod',
      'session.organization_id as sessionOrganization',
      'session.second_factor as sessionSecondFactor',
      'session.last_seen_at as sessionLastSeenAt',
      // guard: session-absolute-expiry, session-idle-expiry
      sql<string>`least(session.expires_at, session.idle_expires_at)`.as('sessionExpiresAt'),
    ])
    .where('session.hash', '=', hash)
    .where('user.disabled_at', 'is', null),
);

/**
 * Makes the function that finds the user who is signed in in a browser, in one statement; null if there is no session or
 * it has ended.
 * @throws DomainError `forbidden` if the request comes from a page of another origin
 */
function sessionAuthenticator(db: Db, services: Services): (browser: Browser) => Promise<Actor | null> {
  const recordUse = sessionUses(db, services);
  return async (browser) => {
    const secret = browser.token('session');
    if (secret === undefined) return null;
    // guard: session-own-pages
    if (!browser.isSameOrigin) throw new DomainError('forbidden', FOREIGN_ORIGIN);
    const row = await readSession(db, hashSecret(secret));
    if (!row) return null;
    if (Date.parse(String(row.sessionExpiresAt)) <= Date.now()) return null;
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

const FOREIGN_ORIGIN = 'A session is accepted only from pages of this service: elsewhere, send an API token.';
