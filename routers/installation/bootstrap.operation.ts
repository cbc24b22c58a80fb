import { randomBytes } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Setting } from '../../schema/entities/setting.ts';
import { User } from '../../schema/entities/user.ts';
import { issuePasswordLink, LINK_LIFETIME, linkPath } from '../auth/links.operation.ts';
import { kyselyOf } from '../base/db.ts';
import { createOrganization } from '../organizations/organizations.operation.ts';
import { issueToken } from '../people/tokens.operation.ts';

/** Serializes the first starts of several processes on one database; "boot" in ASCII. */
export const BOOTSTRAP_LOCK = 0x626f6f74;

export interface Bootstrap {
  /** The signing secret; created once and stored in the database, so that all processes share it. */
  secret: string;
  /** The first admin token, and the path at which the admin chooses a password; on the first start only. */
  adminToken?: string;
  passwordPath?: string;
}

/**
 * Initializes an empty database with the installation's secret, a user, an organization and an admin token. Changes nothing in
 * a database that is in use.
 */
export async function bootstrap(em: SqlEntityManager, chosenToken: string | undefined): Promise<Bootstrap> {
  await sql`select pg_advisory_xact_lock(${BOOTSTRAP_LOCK})`.execute(kyselyOf(em));
  const known = await em.findOne(Setting, { key: 'secret' });
  if (known) return { secret: known.value };

  const setting = em.create(Setting, { key: 'secret', value: randomBytes(32).toString('base64url') });
  const user = em.create(User, {
    displayName: 'Administrator',
    email: 'admin@localhost',
  });
  createOrganization(em, 'My organization', user.id);
  const { secret } = issueToken(em, {
    user: user.id,
    name: 'First admin token',
    scope: 'write',
    secret: chosenToken,
  });
  await em.flush();
  const link = await issuePasswordLink(kyselyOf(em), user.id, { lifetime: LINK_LIFETIME.operator });
  return { secret: setting.value, adminToken: secret, passwordPath: linkPath('password', link.secret) };
}
