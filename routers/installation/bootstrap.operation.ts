import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { User } from '../../schema/entities/user.ts';
import { issuePasswordLink, LINK_LIFETIME, linkPath } from '../auth/links.operation.ts';
import { kyselyOf } from '../base/db.ts';
import { createOrganization } from '../organizations/organizations.operation.ts';
import { issueToken } from '../people/tokens.operation.ts';
import { createSecret, type InstallationSecrets, readSecrets } from './secret.operation.ts';

/** Serializes the first starts of several processes on one database; "boot" in ASCII. */
export const BOOTSTRAP_LOCK = 0x626f6f74;

/** The secrets are stored in the database, so that all processes share them. */
export interface Bootstrap extends InstallationSecrets {
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
  const known = await readSecrets(em);
  if (known) return known;

  const secrets = createSecret(em);
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
  return { ...secrets, adminToken: secret, passwordPath: linkPath('password', link.secret) };
}
