import { Permission } from '../../../schema/entities/permission.ts';
import type { Role } from '../../../schema/enums.ts';
import type { DatabaseHandle } from '../../../server/database/database.ts';

type Given = ({ user: string } | { team: string }) &
  ({ collection: string } | { space: string } | { site: string }) & { role: Role };

/** Grants a user or a team a level on a collection, space or site. */
export const grant = (database: DatabaseHandle, organizationId: string, given: Given): Promise<void> =>
  database.transaction(async (em) => {
    em.create(Permission, { organization: organizationId, ...given });
    await em.flush();
  });
