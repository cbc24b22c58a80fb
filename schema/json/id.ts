/** Base64 with an alphabet in byte order, so that ids sort as the numbers they encode. */
export const ID_ALPHABET = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
export const ID_LENGTH = 20;

const ID = new RegExp(`^[${ID_ALPHABET.replace('-', '\\-')}]{${ID_LENGTH}}$`);

/** Whether a string has the form of an id. */
export const isId = (value: string): boolean => ID.test(value);

/**
 * Whether a string could be an id that was or will be issued: until the year 2109, their times make them begin with "0".
 * Many other strings that people choose have the form of an id.
 */
export const mayBeIssued = (value: string): boolean => value.startsWith('0') && isId(value);
