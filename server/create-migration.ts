/** Generates the migration to the current entities, with a temporary PostgreSQL. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MikroORM } from '@mikro-orm/postgresql';
import { pino } from 'pino';
import { ormConfig } from '../schema/orm.config.ts';
import { openEmbeddedDatabase } from './embedded-postgres/index.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'colophon-migration-'));
// As root, the server runs as another user, who must be able to access it.
await chmod(dataDir, 0o755);
const logger = pino({ level: 'warn' }, pino.destination(2));
const embedded = await openEmbeddedDatabase({ dataDir, role: 'tool', logger, durable: false });
const orm = await MikroORM.init(ormConfig(embedded.connection));
try {
  const { fileName } = await orm.migrator.create();
  process.stdout.write(fileName ? `schema/migrations/${fileName}\n` : 'The entities have not changed.\n');
} finally {
  await orm.close();
  await embedded.close();
  await rm(dataDir, { recursive: true, force: true });
}
