import { z } from 'zod';
import type { Site } from '../../schema/entities/site.ts';
import { VISITOR_AUTH_BACKENDS } from '../../schema/enums.ts';
import type { Presentable } from '../../schema/rows.ts';

/** How visitors of a site are authenticated, with the key that signs their JWTs: only for admins. */
export const PublishingAuthObject = z
  .object({
    object: z.literal('publishing-auth').describe('The type of the object: always `publishing-auth`.'),
    backend: z.enum(VISITOR_AUTH_BACKENDS).describe('What signs the JWTs of visitors.'),
    privateKey: z.string().describe('The key with which the JWTs of visitors are signed, by HS256.'),
    fallbackURL: z.string().optional().describe('Where visitors without a token are sent to sign in.'),
    integration: z.string().optional().describe('The name of the integration that signs visitors in.'),
  })
  .meta({ id: 'SitePublishingAuth', description: 'How visitors of a site are authenticated.' });

/** `privateKey` is the key after opening it, see `openAuthKey`. */
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
