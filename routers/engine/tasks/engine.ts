import { createObjectBuffer, type ObjectBuffer, type ObjectReader } from '../store/objects.ts';
import { sizeLimitedReader, TaskTooLarge } from './size-limit.ts';
import { type TaskInput, type TaskName, type TaskOutput, taskOf } from './tasks.ts';

/** Runs expensive work on content, in this process or in another one. */
export interface Engine {
  /**
   * Runs a task on the objects of a reader; new objects are added to the reader, if it is a buffer.
   * @throws DomainError from the task; `unavailable` if the service is too busy or the task takes too long,
   *   `invalid` if the task needs more memory than allowed.
   */
  run<Name extends TaskName>(
    name: Name,
    input: TaskInput<Name>,
    reader: ObjectReader,
  ): Promise<TaskOutput<Name>>;
}

/** Runs every task in this process, for command-line tools, where nothing else has to run meanwhile. */
export const localEngine: Engine = {
  run: async (name, input, reader) =>
    taskOf(name)(isBuffer(reader) ? reader : createObjectBuffer(reader), input),
};

/**
 * Runs small tasks in this process, because sending them would cost more, and the rest in `large`. The size may only be
 * known once objects are read; tasks are pure, so one that turns out to be large starts over in `large`.
 */
export const splittingEngine = (large: Engine): Engine => ({
  async run(name, input, reader) {
    const bounded = sizeLimitedReader(name, input, reader);
    if (!bounded) return large.run(name, input, reader);
    // The writes of an aborted task must not be saved.
    const scratch = createObjectBuffer(bounded);
    try {
      const output = await localEngine.run(name, input, scratch);
      if (isBuffer(reader)) reader.adopt(scratch.pending);
      return output;
    } catch (error) {
      if (error instanceof TaskTooLarge) return large.run(name, input, reader);
      throw error;
    }
  },
});

export const isBuffer = (reader: ObjectReader): reader is ObjectBuffer => 'adopt' in reader;
