import { hash } from 'node:crypto';
import type pg from 'pg';
import type { Logger } from '../../routers/base/context.ts';
import { isLostStatement, PREPARE } from '../../routers/sql/statement.ts';
import { DatabaseClient } from './client.ts';

/** Maximum number of prepared statements per connection; others are sent unprepared. */
const MAX_STATEMENTS = 200;

/** After this many losses, we assume a pooler that does not keep statements. */
const MAX_LOSSES = 20;

/** PostgreSQL's `in_failed_sql_transaction`. */
const IN_FAILED_TRANSACTION = '25P02';

/**
 * A client of which statements marked with {@link PREPARE} are prepared by name the first time a connection
 * sends them, so that the database need not parse and plan them again.
 *
 * A migration, or a pooler that resets its sessions, makes a connection lose what it prepared. The statement is then sent
 * unprepared; in a transaction, which has failed by then, the error goes to the code that retries it. From then on, every
 * connection prepares under new names: the old ones may refer to other statements.
 */
export function preparingClient(logger: Logger): typeof pg.Client {
  const names = new Map<string, string>();
  let losses = 0;

  const nameOf = (text: string): string | undefined => {
    let name = names.get(text);
    if (name === undefined && names.size < MAX_STATEMENTS && losses < MAX_LOSSES) {
      // Names have at most 63 bytes, and the same text has the same name in every process that shares a session.
      name = `${hash('sha1', text)}_${losses}`;
      names.set(text, name);
    }
    return name;
  };

  const lose = (text: string, name: string) => {
    // Many may fail at once, and one loss is enough for all of them.
    if (names.get(text) !== name) return;
    names.clear();
    losses++;
    if (losses === MAX_LOSSES) {
      logger.warn({}, 'the database keeps losing prepared statements: set DATABASE_PREPARE=false');
    }
  };

  return class PreparingClient extends DatabaseClient {
    // biome-ignore lint/suspicious/noExplicitAny: the driver's method has a dozen signatures; all others are passed on
    override query(...call: any[]): any {
      const [text, values, ...rest] = call;
      const name = typeof text === 'string' && text.endsWith(PREPARE) ? nameOf(text) : undefined;
      if (name === undefined || rest.length > 0) return super.query(...call);
      return this.#queryByName(name, text, values);
    }

    async #queryByName(name: string, text: string, values: unknown[]): Promise<pg.QueryResult> {
      try {
        return await this.run({ name, text, values });
      } catch (error) {
        if (!isLostStatement(error)) throw error;
        lose(text, name);
        try {
          return await this.run({ text, values });
        } catch (second) {
          throw (second as { code?: string }).code === IN_FAILED_TRANSACTION ? error : second;
        }
      }
    }
  };
}
