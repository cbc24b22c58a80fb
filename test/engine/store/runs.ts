/** How often a property is tried: 200 times, with LONG=1 in the environment 10,000 times. */
export const NUM_RUNS = process.env.LONG === '1' ? 10_000 : 200;

/** Generous for the runs, in milliseconds: a guard against hanging, not a measurement. */
export const PROPERTY_TIMEOUT = NUM_RUNS * 250;
