import { completeSignIn } from '../../routers/auth/sign-in.operation.ts';
import type { Browser } from '../../routers/base/principal.ts';
import type { TestService } from '../helpers/service.ts';

/** Opens a session of a user, in a browser that may have one already. */
export async function openSessionFor(
  { runtime: { database, services } }: TestService,
  user: string,
  had?: string,
): Promise<{ cookie: string; id: string }> {
  let secret = '';
  const browser: Browser = {
    userAgent: 'test',
    address: '192.0.2.1',
    isSameOrigin: true,
    token: (name) => (name === 'session' ? had?.split('=')[1] : undefined),
    setToken: (name, token) => {
      if (name === 'session' && token) secret = token.secret;
    },
  };
  const transaction = database.transaction.bind(database);
  await completeSignIn(
    { db: database.db, transaction, services, browser },
    { user, method: 'link', secondFactor: false },
  );
  const { id } = await database.db
    .selectFrom('session')
    .select('id')
    .where('user_id', '=', user)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  return { cookie: `colophon_session=${secret}`, id };
}
