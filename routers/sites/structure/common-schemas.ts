/** Schemas that several operations on the structure of a site share. */

import { z } from 'zod';
import { text } from '../../../schema/json/text.ts';

/** The name of an icon, optionally with a style or set, such as `solid/book` or `brands:github`. */
export const Icon = z
  .string()
  .max(50)
  .regex(/^[A-Za-z0-9][A-Za-z0-9_:/-]*$/, 'must be the name of an icon');

export const Draft = z
  .boolean()
  .describe('Whether it is a draft, hidden from visitors together with its contents.');

export const Condition = text({ max: 1024 }).describe(
  "An expression over the visitor's claims: only readers for whom it is true see the item; null for all readers.",
);
