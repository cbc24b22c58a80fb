import { text } from '../../schema/json/text.ts';

/** What a change request is called; it may have no subject yet. */
export const Subject = text({ max: 100 });
