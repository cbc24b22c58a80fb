import { z } from 'zod';

/** What a removal answers to a direct caller; the facade makes it 205 or 204. */
export const Removal = z.object({ removed: z.boolean() });
