import type { Role } from '../../../schema/enums.ts';
import type { DatabaseHandle } from '../../../server/database/database.ts';
import { buildUser, type Person } from './user.ts';

interface MemberOptions {
  disabled?: boolean;
  displayName?: string;
  email?: string;
}

/** A user who is a member of the organization, or a guest if the role is null. */
export async function buildMember(
  database: DatabaseHandle,
  organizationId: string,
  role: Role | null,
  { disabled = false, ...given }: MemberOptions = {},
): Promise<Person> {
  const person = await buildUser(database, given);
  await join(database, organizationId, person.id, role, { disabled });
  return person;
}

/** Adds an existing user to an organization, as a guest if the role is null. */
export async function join(
  { db }: DatabaseHandle,
  organizationId: string,
  userId: string,
  role: Role | null,
  { disabled = false }: { disabled?: boolean } = {},
): Promise<void> {
  await db
    .insertInto('member')
    .values({ organization_id: organizationId, user_id: userId, role, disabled, joined_at: new Date() })
    .execute();
}
