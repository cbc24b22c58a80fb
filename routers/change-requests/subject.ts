import { text } from '../inputs.ts';

/** What a change request is called; it may have no subject yet. */
export const Subject = text({ max: 100 });
