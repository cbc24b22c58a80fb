import { Team } from '../../../schema/entities/team.ts';
import { TeamMember } from '../../../schema/entities/team-member.ts';
import type { DatabaseHandle } from '../../../server/database/database.ts';

interface TeamOptions {
  title?: string;
  /** User ids. */
  owners?: string[];
  members?: string[];
}

export const buildTeam = (
  database: DatabaseHandle,
  organizationId: string,
  { title = 'Team', owners = [], members = [] }: TeamOptions = {},
): Promise<{ id: string }> =>
  database.transaction(async (em) => {
    const team = em.create(Team, { organization: organizationId, title });
    for (const user of owners) em.create(TeamMember, { team: team.id, user, role: 'owner' });
    for (const user of members) em.create(TeamMember, { team: team.id, user, role: 'member' });
    await em.flush();
    return { id: team.id };
  });
