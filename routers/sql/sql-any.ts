import { type RawBuilder, sql } from 'kysely';

/** What a column is compared with to be one of some texts: one parameter for all, of which there may be none or many. */
export const sqlAny = (texts: readonly string[]): RawBuilder<string> => sql<string>`any(${texts}::text[])`;
