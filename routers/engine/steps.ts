/**
 * A computation that yields wherever it can be interrupted, at least every few thousand operations, so that its caller can
 * do other work in between.
 */
export type Steps<T> = Generator<undefined, T>;

/** How many simple operations such a computation makes between two interruptions. */
export const STRIDE = 2000;
