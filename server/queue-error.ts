/** An error as pg-boss emits it. */
export interface QueueError {
  message: string;
  stack?: string;
  /** If a worker met it. */
  queue?: string;
  worker?: string;
}

/**
 * The error without the worker that met it, whose id pg-boss also appends to the message: otherwise the errors of all workers
 * would be different ones.
 */
export function withoutWorker(error: QueueError): QueueError {
  const { worker, ...others } = error;
  if (worker === undefined) return error;
  const suffix = ` (Queue: ${others.queue}, Worker: ${worker})`;
  const without = (text: string) => text.replace(suffix, '');
  return {
    ...others,
    message: without(others.message),
    ...(others.stack !== undefined && { stack: without(others.stack) }),
  };
}
