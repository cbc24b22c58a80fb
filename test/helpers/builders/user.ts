import { hashSecret } from '../../../routers/base/secrets.ts';
import { newToken } from '../../../routers/people/tokens.operation.ts';
import type { TokenScope } from '../../../schema/enums.ts';
import { newId } from '../../../schema/ids.ts';
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
}

/** The number of users built in each database. */
const serials = new WeakMap<DatabaseHandle, number>();

/** A user with a token, inserted by one statement, because most tests build several. */
export async function buildUser(
  database: DatabaseHandle,
  { displayName, email, scope = 'write' }: UserOptions = {},
): Promise<Person> {
  const number = (serials.get(database) ?? 0) + 1;
  serials.set(database, number);
  const [id, token, now] = [newId(), newToken(), new Date()];
  await database.db
    .with('created', (db) =>
      db.insertInto('user').values({
        id,
        display_name: displayName ?? `Person ${number}`,
        email: email ?? `person${number}@example.com`,
        email_verified_at: now,
        created_at: now,
      }),
    )
    .insertInto('api_token')
    .values({ id: newId(), user_id: id, name: 'test', hash: hashSecret(token), scope, created_at: now })
    .execute();
  return { id, token };
}
