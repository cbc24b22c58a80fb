import { text } from '../../schema/json/text.ts';

/** The title of a change request; may be empty. */
export const Subject = text({ max: 100 });
