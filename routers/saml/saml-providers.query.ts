import { sql } from 'kysely';
import { SamlProvider } from '../../schema/entities/saml-provider.ts';
import { Team } from '../../schema/entities/team.ts';
import { isId } from '../../schema/json/id.ts';
import { columnsOf, columnsUnder, type Prefixed, partOf, type Row } from '../../schema/rows.ts';
import type { CountViewer } from '../access/visible.query.ts';
import type { Db } from '../base/db.ts';
import { notFound } from '../engine/errors.ts';
import type { TeamRow } from '../people/teams.api.ts';
import { derivedTeamColumns } from '../people/teams.query.ts';
import type { SamlProviderRow } from './saml-providers.api.ts';

/** The identity providers of an organization. */
export const samlProvidersOf = (db: Db, organization: string) =>
  db.selectFrom('saml_provider').where('saml_provider.organization_id', '=', organization);

type DerivedTeamColumns = Pick<TeamRow, 'members' | 'spaces' | 'ownRole'>;

/** The identity providers of an organization, with their teams as a viewer sees them. */
export const providersWithTeams = (db: Db, organization: string, viewer: CountViewer) =>
  samlProvidersOf(db, organization)
    .leftJoin('team', 'team.id', 'saml_provider.default_team_id')
    .select(columnsOf(SamlProvider))
    .select(columnsUnder('inTeam', Team))
    .select(derivedTeamColumns(organization, viewer));

export function withTeam(
  row: Row<SamlProvider> & Prefixed<Row<Team>, 'inTeam'> & DerivedTeamColumns,
): SamlProviderRow {
  const { members, spaces, ownRole } = row;
  const team = partOf<Row<Team>, 'inTeam'>(row, 'inTeam');
  return { ...row, team: team ? { ...team, members, spaces, ownRole } : null };
}

/** A provider that people can sign in with. */
export type ActiveProvider = Row<SamlProvider>;

/** A condition on `saml_provider`: entity id, certificate and SSO URL are all set. */
// guard: saml-active-provider
export const isActive = sql<boolean>`(
  saml_provider.entity_id <> '' and saml_provider.certificate <> '' and saml_provider.sso_url <> '')`;

/** @throws DomainError `not-found` if there is no such provider, or it is pending */
export async function readActiveProvider(db: Db, id: string): Promise<ActiveProvider> {
  const provider = await readProvider(db, id);
  if (provider.entityId === '' || provider.certificate === '' || provider.ssoUrl === '')
    throw notFound('active SAML provider');
  return provider;
}

/** @throws DomainError `not-found` */
export async function readProvider(db: Db, id: string): Promise<Row<SamlProvider>> {
  const provider = isId(id)
    ? await db
        .selectFrom('saml_provider')
        .select(columnsOf(SamlProvider))
        .where('id', '=', id)
        .executeTakeFirst()
    : undefined;
  if (!provider) throw notFound('SAML provider');
  return provider;
}
