const kept = new WeakSet<object>();

/**
 * Marks an output that later requests are answered with as well: it is checked against its schema and written as text
 * only once. It must never be changed, and every caller who gets it must have been authorized.
 */
export function cacheOutput<Output extends object>(output: Output): Output {
  kept.add(output);
  return output;
}

export const isCachedOutput = (output: unknown): boolean =>
  typeof output === 'object' && output !== null && kept.has(output);

/** The same function, which works once for each output that is kept; what it makes of one is kept as well. */
export function oncePerCachedOutput<Result>(work: (output: unknown) => Result): (output: unknown) => Result {
  const results = new WeakMap<object, Result>();
  return (output) => {
    if (!isCachedOutput(output)) return work(output);
    const known = results.get(output as object);
    if (known !== undefined) return known;
    const result = work(output);
    if (typeof result === 'object' && result !== null) kept.add(result);
    results.set(output as object, result);
    return result;
  };
}
