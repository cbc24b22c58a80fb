/** Maximum size of an OpenAPI document in bytes, and of all files that it refers to in total. */
export const SPEC_LIMIT = 20 * 1024 * 1024;

/** Maximum size of the bundled document in bytes: YAML aliases and descriptions in HTML make it larger. */
export const SPEC_DOCUMENT_LIMIT = 3 * SPEC_LIMIT;

/** Maximum size of an OpenAPI document that pages show, in bytes of JSON: parsing it must not hold up other requests. */
export const SHOWN_SPEC_LIMIT = 4 * 1024 * 1024;

/** Maximum nesting depth of an OpenAPI document. */
export const MAX_SPEC_DEPTH = 100;

/** Maximum length of the URL of an OpenAPI document, in characters. */
export const MAX_SPEC_URL = 2048;
