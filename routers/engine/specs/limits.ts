/** Maximum size of an OpenAPI document, in bytes; of all documents that it refers to, too. */
export const SPEC_LIMIT = 20 * 1024 * 1024;

/** Maximum size of what is made of it, in bytes: aliases of YAML, and descriptions in HTML, make it larger. */
export const SPEC_DOCUMENT_LIMIT = 3 * SPEC_LIMIT;

/** Maximum nesting of one. */
export const MAX_SPEC_DEPTH = 100;

/** Longest URL of one, in characters. */
export const MAX_SPEC_URL = 2048;
