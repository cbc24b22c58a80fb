import { z } from 'zod';
import type { Site } from '../../schema/entities/site.ts';
import { VISITOR_AUTH_BACKENDS } from '../../schema/enums.ts';
import type { Presentable } from '../../schema/rows.ts';

/** How visitors of a site are authenticated, with the key that signs them: only for admins. */
export const PublishingAuthObject = z
  .object({
    object: z.literal('publishing-auth'),
    backend: z.enum(VISITOR_AUTH_BACKENDS),
    privateKey: z.string().describe('Signs the JWT of a visitor with HS256.'),
    fallbackURL: z.string().optional(),
    integration: z.string().optional(),
  })
  .meta({ id: 'SitePublishingAuth' });

/** `privateKey` is the opened key. */
export const presentPublishingAuth = (
  site: Presentable<Site>,
  privateKey: string,
): z.infer<typeof PublishingAuthObject> => ({
  object: 'publishing-auth',
  backend: site.authBackend,
  privateKey,
  fallbackURL: site.authFallbackUrl ?? undefined,
  integration: site.authIntegration ?? undefined,
});
