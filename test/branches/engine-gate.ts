import type { Engine } from '../../routers/engine/tasks/engine.ts';
import type { TaskName } from '../../routers/engine/tasks/tasks.ts';
import type { TestService } from '../helpers/service.ts';

/** Runs `before` before each task of the engines of a service, until `restore` is called. */
export function beforeTasks(
  service: TestService,
  before: (task: TaskName) => Promise<void> | void,
): { restore(): void } {
  const { engines } = service.runtime.services;
  const original = engines.for;
  engines.for = (caller) => {
    const engine = original.call(engines, caller);
    const run: Engine['run'] = async (name, input, reader) => {
      await before(name);
      return engine.run(name, input, reader);
    };
    return { run };
  };
  return {
    restore() {
      engines.for = original;
    },
  };
}

/** Blocks the first task with a name until it is released. */
export function holdTask(service: TestService, held: TaskName) {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { restore } = beforeTasks(service, async (task) => {
    if (task !== held) return;
    restore();
    begun.resolve();
    await released.promise;
  });
  return { begun: begun.promise, release: () => released.resolve() };
}
