import type { ObjectKind } from '../../routers/engine/store/objects.ts';
import type { TaskName } from '../../routers/engine/tasks/tasks.ts';

/** An object of content on its way between workers. */
export type SentObject = [hash: string, kind: ObjectKind, json: string];

/** To the worker: a task, or the objects that the one under way asked for; none where they cannot be read. */
export type ToWorker =
  | { type: 'task'; name: TaskName; input: unknown }
  | { type: 'objects'; request: number; objects: SentObject[] | undefined };

/** From the worker: it needs objects, or has ended its task. */
export type FromWorker =
  | { type: 'read'; request: number; hashes: readonly string[] }
  | { type: 'done'; output: unknown; objects: SentObject[] }
  | { type: 'refused'; refusal: Refusal }
  | { type: 'failed'; error: unknown };

/** A DomainError, which loses its class on the way. */
interface Refusal {
  code: 'invalid' | 'forbidden' | 'not-found' | 'conflict' | 'precondition' | 'unavailable';
  message: string;
  details: { path: string; message: string }[] | undefined;
}
