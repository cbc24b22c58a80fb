import { readVisitorToken } from '../routers/access/visitor-token.ts';
import { batchedStatement, type Operand } from '../routers/batched-statement.ts';
import type { Actor, Context, Db, Principal, Services, Visitor } from '../routers/context.ts';
import { BY_SERVICE, byUser, type Cause, type Origin } from '../routers/events/audited.ts';
import { setCause } from '../routers/events/record.operation.ts';
import { hashToken } from '../routers/people/tokens.operation.ts';
import { User } from '../schema/entities/user.ts';
import { columnsOf } from '../schema/rows.ts';
import type { DatabaseHandle } from './database.ts';
import { memberSightings } from './member-sightings.ts';
import { tokenUses } from './token-uses.ts';

const BEARER = /^Bearer +(\S+) *$/i;

/** The context of a request over HTTP, where callers are users, or visitors of a site. */
export interface RequestContext extends Context {
  authenticate(): Promise<Actor | Visitor | null>;
  /** The caller, once `authenticate` has run. */
  caller?: Actor | Visitor | null;
}

/** Creates the context of one request from its `Authorization` header; `origin` says where it comes from. */
export function contextFactory(database: DatabaseHandle, services: Services) {
  const { db } = database;
  const authenticate = authenticator(db, services);
  const noteSeen = memberSightings(db, services);
  return (
    authorization: string | undefined,
    address: () => string,
    origin: () => Omit<Origin, 'address'> = () => ({}),
  ): RequestContext => {
    const from = (): Origin => ({ address: address(), ...origin() });
    let caller: Promise<Actor | Visitor | null> | undefined;
    const findCaller = async () => {
      context.caller = await authenticate(authorization);
      return context.caller;
    };
    const context: RequestContext = {
      authenticate: () => (caller ??= findCaller()),
      transaction: async (work) => {
        const cause = requestCause(await context.authenticate(), from());
        return database.transaction((em) => {
          setCause(em, cause);
          return work(em);
        });
      },
      db,
      services,
      dependencies: new Set(),
      address,
      noteSeen,
    };
    return context;
  };
}

/** The cause of what a request does. */
function requestCause(caller: Actor | Visitor | null, origin: Origin): Cause {
  if (caller?.kind === 'user')
    return byUser(caller.user, { source: 'api', credential: caller.token.id }, origin);
  const { request, ...personal } = origin;
  return { actor: { type: 'system', id: 'anonymous' }, source: 'ui', request, personal };
}

/** The cause of what a tool does, as its operator or as a user. */
const toolCause = (principal: Principal): Cause =>
  principal.kind === 'user'
    ? byUser(principal.user, { source: 'script' })
    : { actor: { type: 'system', id: 'operator' }, source: 'script' };

/**
 * The context of tools with direct access to the database: they may call the operator's procedures, and act as a user.
 */
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
        setCause(em, cause);
        return work(em);
      }),
    db: database.db,
    services,
  };
}

/** The context of background jobs: as for tools, but statements outside transactions have no time limit. */
export const jobContext = (database: DatabaseHandle, services: Services): Context => ({
  ...toolContext(database, services, { kind: 'operator' }, BY_SERVICE),
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
      'api_token.expires_at as tokenExpiresAt',
      'api_token.last_used_at as tokenLastUsedAt',
    ])
    .where('api_token.hash', '=', hash),
);

/**
 * The visitor that a bearer token was made for, or its owner, in one statement; null for an unknown or expired token.
 */
function authenticator(
  db: Db,
  services: Services,
): (authorization: string | undefined) => Promise<Actor | Visitor | null> {
  const { signer } = services;
  const recordUse = tokenUses(db, services);
  return async (authorization) => {
    const token = authorization && BEARER.exec(authorization)?.[1];
    if (!token) return null;
    const visitor = await readVisitorToken(signer, token);
    if (visitor) return visitor;
    const row = await readToken(db, hashToken(token));
    if (!row) return null;
    const { tokenId, tokenScope, tokenExpiresAt, tokenLastUsedAt } = row;
    if (tokenExpiresAt && Date.parse(String(tokenExpiresAt)) <= Date.now()) return null;
    recordUse(tokenId, tokenLastUsedAt && String(tokenLastUsedAt));
    // The user is the row itself: leaving out what else it holds would copy it.
    return { kind: 'user', user: row, token: { id: tokenId, scope: tokenScope } };
  };
}
