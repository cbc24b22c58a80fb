import type { Context } from '../base/context.ts';
import type { ImportProgress } from '../base/ports.ts';
import { recordEvent } from '../events/record.operation.ts';

/** The least time between two events of an import, in milliseconds. */
const INTERVAL = 2000;

interface ProgressReporter {
  show(progress: ImportProgress): void;
  /** Records the end of the import; resolves when all events are recorded. */
  end(status: 'completed' | 'failed'): Promise<void>;
}

/**
 * Reports the progress of an import by events: when it begins, then at most every two seconds, and when it ends. A failure to
 * record an event is logged, and does not stop the import.
 */
export function reportProgress(
  { transaction, services }: Pick<Context, 'transaction' | 'services'>,
  about: { space: string; source: string },
): ProgressReporter {
  let lastReport = -Infinity;
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
      if (writing || performance.now() - lastReport < INTERVAL) return;
      lastReport = performance.now();
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
