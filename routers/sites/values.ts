/** Values that several operations on sites accept. */

import { z } from 'zod';
import { text } from '../../schema/json/text.ts';

/** The name of an icon, with its style or its set if need be, such as `solid/book` or `brands:github`. */
export const Icon = z
  .string()
  .max(50)
  .regex(/^[A-Za-z0-9][A-Za-z0-9_:/-]*$/, 'must be the name of an icon');

export const Draft = z.boolean().describe('Whether visitors do not see it, nor what is in it.');

export const Condition = text({ max: 1024 }).describe(
  'Only readers for whom this expression about their claims holds see it; null for all readers.',
);
