import { type RawBuilder, sql } from 'kysely';

/** The right-hand side of `column = any(...)`: one parameter for any number of texts, also none. */
export const sqlAny = (texts: readonly string[]): RawBuilder<string> => sql<string>`any(${texts}::text[])`;
