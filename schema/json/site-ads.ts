import { z } from 'zod';

const Topic = z.enum(['webdev', 'crypto']);

/** Whether a site shows ads; `pending` until it is submitted for review. */
export const SiteAds = z.union([
  z.object({ status: z.literal('pending'), submittable: z.boolean() }),
  z.object({ status: z.literal('in-review'), topic: Topic }),
  z.object({ status: z.literal('rejected'), reason: z.string().optional() }),
  z.object({ status: z.enum(['live', 'disabled']), topic: Topic, zoneId: z.string() }),
]);
export type SiteAds = z.infer<typeof SiteAds>;
