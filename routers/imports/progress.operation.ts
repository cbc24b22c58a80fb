import type { Context } from '../base/context.ts';
import type { ImportProgress } from '../base/ports.ts';
import { recordEvent } from '../events/record.operation.ts';

/** Milliseconds between two events of one import. */
const INTERVAL = 2000;

/** What tells how far an import is. */
interface ProgressTeller {
  show(progress: ImportProgress): void;
  /** Records how it ended; resolves when all is recorded. */
  end(status: 'completed' | 'failed'): Promise<void>;
}

/**
 * Tells how far an import is by events: when it begins, then every two seconds at most, and when it has ended. An event that
 * cannot be recorded is logged, and does not stop the import.
 */
export function tellProgress(
  { transaction, services }: Pick<Context, 'transaction' | 'services'>,
  about: { space: string; source: string },
): ProgressTeller {
  let told = -Infinity;
  let writing: Promise<void> | undefined;

  async function record(state: { status: 'running' | 'completed' | 'failed' } & Partial<ImportProgress>) {
    try {
      await transaction(async (em) => recordEvent(em, { type: 'space.import.updated', ...about, ...state }));
    } catch (error) {
      services.logger.warn({ err: error, ...about }, 'the progress of an import could not be recorded');
    }
  }

  return {
    show(progress) {
      if (writing || performance.now() - told < INTERVAL) return;
      told = performance.now();
      writing = record({ status: 'running', ...progress }).finally(() => {
        writing = undefined;
      });
    },
    async end(status) {
      await writing;
      await record({ status });
    },
  };
}
