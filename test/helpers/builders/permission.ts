import { Permission } from '../../../schema/entities/permission.ts';
import type { Role } from '../../../schema/enums.ts';
import type { DatabaseHandle } from '../../../server/database/database.ts';

type Grant = ({ user: string } | { team: string }) &
  ({ collection: string } | { space: string } | { site: string }) & { role: Role };

/** Grants a user or a team a level on a collection, space or site. */
export const grant = (database: DatabaseHandle, organizationId: string, permission: Grant): Promise<void> =>
  database.transaction(async (em) => {
    em.create(Permission, { organization: organizationId, ...permission });
    await em.flush();
  });
