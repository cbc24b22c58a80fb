import { createObjectBuffer, type ObjectBuffer, type ObjectReader } from '../store/objects.ts';
import { type TaskInput, type TaskName, type TaskOutput, taskOf } from './tasks.ts';
import { readerOfSmall, TooLarge } from './weight.ts';

/** Where the heavy work on content is done: in this process, or in another one. */
export interface Engine {
  /**
   * Does a task on the objects that a reader finds; new objects go to it, where it is a buffer.
   * @throws DomainError what the task throws; `unavailable` where there is too much to do at the moment or the task takes
   * too long, `invalid` where it needs more memory than there is for one.
   */
  run<Name extends TaskName>(
    name: Name,
    input: TaskInput<Name>,
    reader: ObjectReader,
  ): Promise<TaskOutput<Name>>;
}

/** Does everything at once in this process: for tools, which hold up nobody else. */
export const localEngine: Engine = {
  run: async (name, input, reader) =>
    taskOf(name)(isBuffer(reader) ? reader : createObjectBuffer(reader), input),
};

/**
 * Does here what is small, because sending it costs more, and leaves the rest to `large`. What is small may be known
 * only when objects are read: a task is pure, so one that turns out to be large begins again there.
 */
export const splittingEngine = (large: Engine): Engine => ({
  async run(name, input, reader) {
    const bounded = readerOfSmall(name, input, reader);
    if (!bounded) return large.run(name, input, reader);
    // What a task leaves unfinished must not be saved.
    const scratch = createObjectBuffer(bounded);
    try {
      const output = await localEngine.run(name, input, scratch);
      if (isBuffer(reader)) reader.adopt(scratch.pending);
      return output;
    } catch (error) {
      if (error instanceof TooLarge) return large.run(name, input, reader);
      throw error;
    }
  },
});

export const isBuffer = (reader: ObjectReader): reader is ObjectBuffer => 'adopt' in reader;
