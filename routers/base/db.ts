import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import type { Database } from '../../schema/rows.ts';

/** Typed SQL over the tables, by column name. Inside a mutation it runs in the mutation's transaction. */
export type Db = Kysely<Database>;

/** Typed SQL in the transaction of a unit of work, if it is in one. */
export const kyselyOf = (em: SqlEntityManager): Db => em.getKysely<Database>();
