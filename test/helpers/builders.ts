import type { DatabaseHandle } from '../../server/database/database.ts';
import { buildChangeRequest } from './builders/change-request.ts';
import { buildCollection } from './builders/collection.ts';
import { buildMember, join } from './builders/member.ts';
import { buildOrganization } from './builders/organization.ts';
import { grant } from './builders/permission.ts';
import { buildSection, buildSite, buildSiteSpace } from './builders/site.ts';
import { buildSpace } from './builders/space.ts';
import { buildTeam } from './builders/team.ts';
import { buildUser } from './builders/user.ts';

export type { Person } from './builders/user.ts';

/** Builders take the values that matter to a test and fill in the rest, including parent objects. */
const builders = {
  user: buildUser,
  organization: buildOrganization,
  member: buildMember,
  join,
  team: buildTeam,
  collection: buildCollection,
  space: buildSpace,
  changeRequest: buildChangeRequest,
  site: buildSite,
  section: buildSection,
  siteSpace: buildSiteSpace,
  grant,
};

type Builder<Build> = Build extends (database: DatabaseHandle, ...given: infer Given) => infer Built
  ? (...given: Given) => Built
  : never;

export type Builders = { [Name in keyof typeof builders]: Builder<(typeof builders)[Name]> };

/** Binds the builders to one database. */
export const createBuilders = (database: DatabaseHandle): Builders =>
  Object.fromEntries(
    Object.entries(builders).map(([name, build]) => [
      name,
      (...given: unknown[]) => (build as (...all: unknown[]) => unknown)(database, ...given),
    ]),
  ) as Builders;
