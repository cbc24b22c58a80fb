/** Ids of elements that pages add to the content. They begin with a character with which no anchor begins. */

const PREFIX = '~';

export const ownId = (name: string): string => `${PREFIX}${name}`;

/** Whether an anchor, which an author may choose freely, could be the id of one of these elements. */
export const isReservedId = (anchor: string): boolean => anchor.startsWith(PREFIX);
