/** Number of runs of a property: 200, or 10,000 with LONG=1 in the environment. */
export const NUM_RUNS = process.env.LONG === '1' ? 10_000 : 200;

/** A generous timeout in milliseconds, only to prevent hanging. */
export const PROPERTY_TIMEOUT = NUM_RUNS * 250;
