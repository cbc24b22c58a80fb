import { LockMode, type SqlEntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { Setting } from '../../schema/entities/setting.ts';
import { newSecret } from '../base/secrets.ts';

const SECRET = 'secret';
/** The secrets before, newest first, as JSON. */
const REPLACED_SECRETS = 'replaced-secrets';

const Secrets = z.array(z.string());

/** The secrets of the installation. */
export interface InstallationSecrets {
  /** Signs and encrypts. */
  secret: string;
  /** Earlier ones, which only decrypt what was encrypted with them. */
  replacedSecrets: readonly string[];
}

/** Reads the secrets; undefined in an empty database. */
export async function readSecrets(em: SqlEntityManager): Promise<InstallationSecrets | undefined> {
  const rows = await em.find(Setting, { key: { $in: [SECRET, REPLACED_SECRETS] } });
  const stored = (key: string) => rows.find((row) => row.key === key)?.value;
  const secret = stored(SECRET);
  return secret === undefined
    ? undefined
    : { secret, replacedSecrets: Secrets.parse(JSON.parse(stored(REPLACED_SECRETS) ?? '[]')) };
}

/** Stores the first secret. */
export function createSecret(em: SqlEntityManager): InstallationSecrets {
  const { value: secret } = em.create(Setting, { key: SECRET, value: newSecret() });
  return { secret, replacedSecrets: [] };
}

/**
 * Replaces the secret. The old one is kept for decryption: running processes encrypt with it until they are restarted.
 */
export async function rotateSecret(em: SqlEntityManager): Promise<void> {
  const current = await em.findOneOrFail(Setting, { key: SECRET }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  const replaced =
    (await em.findOne(Setting, { key: REPLACED_SECRETS })) ??
    em.create(Setting, { key: REPLACED_SECRETS, value: '[]' });
  replaced.value = JSON.stringify([current.value, ...Secrets.parse(JSON.parse(replaced.value))]);
  current.value = newSecret();
  await em.flush();
}
