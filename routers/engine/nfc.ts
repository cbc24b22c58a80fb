/** Unicode's stream-safe text has no longer runs of marks; sorting those of one run takes the square of their number. */
const LONG_RUN = /\p{M}{31}/u;

/** A text in Unicode's composed form (NFC), in linear time; one with a longer run of marks than any script has stays as it is. */
export const toNfc = (text: string): string => (LONG_RUN.test(text) ? text : text.normalize('NFC'));
