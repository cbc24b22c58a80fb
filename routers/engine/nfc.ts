/**
 * Longer than any run of combining marks in Unicode's stream-safe text: normalization is quadratic in the length of a
 * run.
 */
const LONG_RUN = /\p{M}{31}/u;

/** Normalizes a text to NFC in linear time. A text with a longer run of marks than any script uses is returned unchanged. */
// guard: decode-long-marks
export const toNfc = (text: string): string => (LONG_RUN.test(text) ? text : text.normalize('NFC'));
