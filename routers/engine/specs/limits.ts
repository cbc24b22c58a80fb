/** Maximum size of an OpenAPI document, in bytes; of all documents that it refers to, too. */
export const SPEC_LIMIT = 20 * 1024 * 1024;

/** Maximum nesting of one. */
export const MAX_SPEC_DEPTH = 100;

/** Longest URL of one, in characters. */
export const MAX_SPEC_URL = 2048;
