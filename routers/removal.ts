import { z } from 'zod';

/** The output of a removal; the facade maps it to 205 or 204. */
export const Removal = z.object({ removed: z.boolean() });
