import { createObjectBuffer, type ObjectBuffer, type ObjectReader } from '../store/objects.ts';
import { sizeLimitedReader, TaskTooLarge } from './size-limit.ts';
import { type TaskInput, type TaskName, type TaskOutput, taskOf } from './tasks.ts';

/** Runs heavy work on content, in this process or in another one. */
export interface Engine {
  /**
   * Runs a task on the objects of a reader; new objects go to it, if it is a buffer.
   * @throws DomainError what the task throws; `unavailable` if the service is too busy or the task takes too long,
   *   `invalid` if it needs more memory than one task may use.
   */
  run<Name extends TaskName>(
    name: Name,
    input: TaskInput<Name>,
    reader: ObjectReader,
  ): Promise<TaskOutput<Name>>;
}

/** Runs everything in this process: for tools, which hold up nobody else. */
export const localEngine: Engine = {
  run: async (name, input, reader) =>
    taskOf(name)(isBuffer(reader) ? reader : createObjectBuffer(reader), input),
};

/**
 * Runs small tasks here, because sending them would cost more, and the rest in `large`. The size may be known only once
 * objects are read: a task is pure, so one that turns out to be large starts over there.
 */
export const splittingEngine = (large: Engine): Engine => ({
  async run(name, input, reader) {
    const bounded = sizeLimitedReader(name, input, reader);
    if (!bounded) return large.run(name, input, reader);
    // The writes of an unfinished task must not be saved.
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
