import type { DomainErrorCode } from '../../routers/engine/errors.ts';
import type { ObjectKind } from '../../routers/engine/store/objects.ts';
import type { TaskName } from '../../routers/engine/tasks/tasks.ts';
import type { BytesPart, Detached } from './large-bytes.ts';

/** A content object as sent between processes. */
export type SentObject = [hash: string, kind: ObjectKind, json: string];

/** To the worker: a task, or the objects that the running one requested; undefined if they cannot be read. */
export type ToWorker =
  | BytesPart
  | { type: 'task'; name: TaskName; input: Detached }
  | { type: 'objects'; request: number; objects: SentObject[] | undefined };

/** From the worker: a request for objects, or the result of its task. */
export type FromWorker =
  | { type: 'read'; request: number; hashes: readonly string[] }
  | BytesPart
  | { type: 'done'; output: Detached; objects: SentObject[] }
  | { type: 'refused'; refusal: SerializedDomainError }
  | { type: 'failed'; error: unknown };

/** The fields of a DomainError, which would lose its class when sent. */
interface SerializedDomainError {
  code: DomainErrorCode;
  message: string;
  details: { path: string; message: string }[] | undefined;
}
