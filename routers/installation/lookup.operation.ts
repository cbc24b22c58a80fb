import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { SelectQueryBuilder } from 'kysely';
import { ChangeRequest } from '../../schema/entities/change-request.ts';
import { Member } from '../../schema/entities/member.ts';
import { Organization } from '../../schema/entities/organization.ts';
import { Revision } from '../../schema/entities/revision.ts';
import { Site } from '../../schema/entities/site.ts';
import { Space } from '../../schema/entities/space.ts';
import { User } from '../../schema/entities/user.ts';
import { isId } from '../../schema/json/id.ts';
import type { Database } from '../../schema/rows.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { normalizeAccountEmail } from '../base/email-addresses.ts';
import { DomainError, notFound } from '../engine/errors.ts';

/**
 * Finds a user by id or by e-mail address.
 * @throws DomainError `not-found`.
 */
export async function lookUpUser(em: SqlEntityManager, idOrEmail: string): Promise<User> {
  const where = isId(idOrEmail)
    ? { id: idOrEmail }
    : { email: normalizeAccountEmail(idOrEmail) ?? idOrEmail };
  const user = await em.findOne(User, where);
  if (!user) throw notFound('user');
  return user;
}

/**
 * A subquery of the id of the user with an id or an e-mail address. In a statement that lists what a user has, it is one value,
 * so that an index returns the rows of the user in order.
 */
export const idOfUser = (db: Db, idOrEmail: string) =>
  db
    .selectFrom('user')
    .select('user.id')
    .where((eb) =>
      eb.or([
        eb('user.id', '=', idOrEmail),
        eb('user.email', '=', normalizeAccountEmail(idOrEmail) ?? idOrEmail),
      ]),
    );

/**
 * Finds an organization by id, or by its title if that is unique; without either, the only one there is.
 * @param member the id of a user: only organizations of which the user is a member count
 * @throws DomainError `not-found`, also for a user who is a member of none; `conflict` if several have the title; without a name,
 *   `invalid` if there are several, or none at all.
 */
export async function lookUpOrganization(
  em: SqlEntityManager,
  idOrTitle?: string,
  member?: string,
): Promise<Organization> {
  let counted = kyselyOf(em).selectFrom('organization').select('id');
  if (member !== undefined)
    counted = counted.where('id', 'in', (eb) =>
      eb
        .selectFrom('member')
        .select('organization_id')
        .where('user_id', '=', member)
        .where('disabled', '=', false),
    );
  if (idOrTitle === undefined) {
    const [only, other] = await counted.limit(2).execute();
    if (other) throw severalOrganizations();
    if (only) return em.findOneOrFail(Organization, only.id);
    throw member === undefined
      ? new DomainError('invalid', 'There is no organization.')
      : new DomainError('not-found', 'The user is not a member of any organization.');
  }
  const byId = isId(idOrTitle) ? await counted.where('id', '=', idOrTitle).executeTakeFirst() : undefined;
  const id = byId?.id ?? (await onlyId(counted.where('title', '=', idOrTitle), 'organization'));
  if (id !== undefined) return em.findOneOrFail(Organization, id);
  throw member === undefined
    ? notFound('organization')
    : new DomainError('not-found', 'The user is not a member of that organization.');
}

/** The details tell the caller which input is missing: the command line names its option. */
const severalOrganizations = () =>
  new DomainError('invalid', 'There are several organizations.', [
    { path: 'organization', message: 'is required if there are several organizations' },
  ]);

/**
 * Finds a site of an organization by id, or by its title if that is unique.
 * @returns its id.
 * @throws DomainError `not-found`, `conflict` if several have the title.
 */
export async function lookUpSite(
  em: SqlEntityManager,
  organization: string,
  idOrTitle: string,
): Promise<string> {
  const byId = isId(idOrTitle) ? await em.findOne(Site, { id: idOrTitle, organization }) : null;
  if (byId) return byId.id;
  const titled = kyselyOf(em)
    .selectFrom('site')
    .select('id')
    .where('organization_id', '=', organization)
    .where('title', '=', idOrTitle);
  const id = await onlyId(titled, 'site');
  if (id === undefined) throw notFound('site');
  return id;
}

/**
 * The id of the only row that a statement finds; undefined if there is none.
 * @throws DomainError `conflict` if there are several
 */
async function onlyId(
  statement: SelectQueryBuilder<Database, never, { id: string }>,
  what: string,
): Promise<string | undefined> {
  const [found, other] = await statement.limit(2).execute();
  if (other) throw new DomainError('conflict', `Several ${what}s have this title: use the id.`);
  return found?.id;
}

/**
 * Finds a space of an organization by its title; undefined if there is none.
 * @throws DomainError `conflict` if several have the title
 */
export async function lookUpSpaceByTitle(
  em: SqlEntityManager,
  organization: string,
  title: string,
): Promise<Space | undefined> {
  const titled = kyselyOf(em)
    .selectFrom('space')
    .select('id')
    .where('organization_id', '=', organization)
    .where('title', '=', title)
    .where('deleted_at', 'is', null);
  const id = await onlyId(titled, 'space');
  return id === undefined ? undefined : em.findOneOrFail(Space, id);
}

/**
 * The author of an operation: the given member, or the organization's first admin.
 * @returns the id of the user.
 * @throws DomainError `not-found` if the user is not a member, `invalid` if there is no admin.
 */
export async function lookUpAuthor(
  em: SqlEntityManager,
  organization: string,
  idOrEmail?: string,
): Promise<string> {
  if (idOrEmail !== undefined) {
    const { id } = await lookUpUser(em, idOrEmail);
    const member = await em.findOne(Member, { organization, user: id, disabled: false });
    if (!member) throw notFound('member');
    return id;
  }
  const admin = await em.findOne(
    Member,
    { organization, role: 'admin', disabled: false },
    { orderBy: { joinedAt: 'asc', user: 'asc' } },
  );
  if (!admin) throw new DomainError('invalid', 'The organization has no admin: name an author.');
  return admin.user;
}

interface ExportSource {
  space: string;
  organization?: string | undefined;
  revision?: string | undefined;
  changeRequest?: string | undefined;
}

/**
 * Finds the content to export: of a space by id or title, or of one of its revisions or change requests.
 * @returns the ids of the space, its organization and the revision, and the hash of its root.
 * @throws DomainError `not-found`, `conflict` if several spaces have the title, `invalid` for both a revision and a change
 *   request.
 */
export async function lookUpExportSource(em: SqlEntityManager, named: ExportSource) {
  if (named.revision !== undefined && named.changeRequest !== undefined)
    throw new DomainError('invalid', 'Name a revision or a change request, not both.');
  const space = await lookUpSpace(em, named);
  let id = named.revision ?? space.revision;
  if (named.changeRequest !== undefined) {
    const isNumber = /^[1-9]\d{0,8}$/.test(named.changeRequest);
    const where = isNumber ? { number: Number(named.changeRequest) } : { id: named.changeRequest };
    const changeRequest = await em.findOne(ChangeRequest, { space: space.id, ...where });
    if (!changeRequest) throw notFound('change request');
    id = changeRequest.revision;
  }
  const revision = await em.findOne(Revision, { id, space: space.id });
  if (!revision) throw notFound('revision');
  const { id: spaceId, organization } = space;
  return { space: spaceId, organization, revision: revision.id, root: revision.root };
}

async function lookUpSpace(em: SqlEntityManager, { space, organization }: ExportSource): Promise<Space> {
  const byId = isId(space) ? await em.findOne(Space, { id: space, deletedAt: null }) : null;
  if (byId) return byId;
  const { id } = await lookUpOrganization(em, organization);
  const found = await lookUpSpaceByTitle(em, id, space);
  if (!found) throw notFound('space');
  return found;
}
