import { SamlProvider } from '../../schema/entities/saml-provider.ts';
import { Team } from '../../schema/entities/team.ts';
import { columnsOf, columnsUnder, type Prefixed, partOf, type Row } from '../../schema/rows.ts';
import type { Db } from '../context.ts';
import type { TeamRow } from '../people/teams.api.ts';
import { teamFacts } from '../people/teams.query.ts';
import type { SamlProviderRow } from './saml-providers.api.ts';

/** The identity providers of an organization. */
export const samlProvidersOf = (db: Db, organization: string) =>
  db.selectFrom('saml_provider').where('saml_provider.organization_id', '=', organization);

type Facts = Pick<TeamRow, 'members' | 'spaces' | 'ownRole'>;

/** The same, selected with their teams for a caller. */
export const providersWithTeams = (db: Db, organization: string, callerId: string) =>
  samlProvidersOf(db, organization)
    .leftJoin('team', 'team.id', 'saml_provider.default_team_id')
    .select(columnsOf(SamlProvider))
    .select(columnsUnder('inTeam', Team))
    .select(teamFacts(callerId));

export function withTeam(row: Row<SamlProvider> & Prefixed<Row<Team>, 'inTeam'> & Facts): SamlProviderRow {
  const { members, spaces, ownRole } = row;
  const team = partOf<Row<Team>, 'inTeam'>(row, 'inTeam');
  return { ...row, team: team ? { ...team, members, spaces, ownRole } : null };
}
