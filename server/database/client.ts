import pg from 'pg';

/**
 * The driver's client, except that statements are sent with a callback, of which this makes the promise. With the driver's own
 * promises, rows outlive all garbage collections but full ones, of which reading texts as fast as possible then causes three
 * to six times as many.
 */
export class DatabaseClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's method has a dozen signatures; all others are passed on
  override query(...call: any[]): any {
    const [text, values, ...rest] = call;
    if (typeof text !== 'string' || typeof values === 'function' || rest.length > 0)
      return (super.query as (...all: unknown[]) => unknown)(...call);
    return this.run({ text, values });
  }

  /** Runs one statement. */
  async run(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    try {
      return await new Promise((resolve, reject) => {
        super.query(statement, (error, result) => (error ? reject(error) : resolve(result)));
      });
    } catch (error) {
      // The caller is among the asynchronous callers of this function, but not of what the driver does when it receives an error.
      Error.captureStackTrace(error as Error);
      throw error;
    }
  }
}
