import { issueToken } from '../../../routers/people/tokens.operation.ts';
import { User } from '../../../schema/entities/user.ts';
import type { TokenScope } from '../../../schema/enums.ts';
import type { DatabaseHandle } from '../../../server/database/database.ts';

/** A user with a token. */
export interface Person {
  id: string;
  token: string;
}

interface UserOptions {
  displayName?: string;
  email?: string;
  scope?: TokenScope;
  /** When an additional token expires. */
  expiresAt?: string;
}

/** The number of users built in each database. */
const serials = new WeakMap<DatabaseHandle, number>();

export const buildUser = (
  database: DatabaseHandle,
  { displayName, email, scope = 'write', expiresAt }: UserOptions = {},
): Promise<Person> =>
  database.transaction(async (em) => {
    const number = (serials.get(database) ?? 0) + 1;
    serials.set(database, number);
    const user = em.create(User, {
      displayName: displayName ?? `Person ${number}`,
      email: email ?? `person${number}@example.com`,
      emailVerifiedAt: new Date(),
    });
    const { secret } = issueToken(em, { user: user.id, name: 'test', scope });
    if (expiresAt) issueToken(em, { user: user.id, name: 'expiring', scope, expiresAt });
    await em.flush();
    return { id: user.id, token: secret };
  });
