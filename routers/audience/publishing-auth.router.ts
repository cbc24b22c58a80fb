import { z } from 'zod';
import type { Site } from '../../schema/entities/site.ts';
import { VISITOR_AUTH_BACKENDS } from '../../schema/enums.ts';
import { HttpUrl } from '../../schema/json/http-url.ts';
import type { Presentable } from '../../schema/rows.ts';
import { fingerprintOf } from '../access/passes.ts';
import { signPreview } from '../access/visitor-token.ts';
import { PREVIEW_KEY, publishedUrl, shareKeyOn } from '../addresses/published.ts';
import type { Signer } from '../base/ports.ts';
import { router } from '../base/trpc.ts';
import { DomainError } from '../engine/errors.ts';
import { newAuthKey, openAuthKey } from './auth-key.ts';
import { findPlace } from './places.query.ts';
import { parsePreviewClaims } from './preview-claims.ts';
import { PublishingAuthObject, presentPublishingAuth } from './publishing-auth.api.ts';
import { route } from './route.ts';
import { siteChangeProcedure } from './site-change.procedures.ts';
import { siteSecretsProcedure } from './site-secrets.procedures.ts';
import { TOKEN_PARAMETER } from './visitor-jwt.ts';

const AUTH = '/orgs/{organizationId}/sites/{siteId}/publishing/auth';

const present = (signer: Signer, site: Presentable<Site>) =>
  presentPublishingAuth(site, openAuthKey(signer, keyOf(site)));

/** The sealed signing key of a site, which every site has from its creation on. */
function keyOf({ authKey }: Presentable<Site>): string {
  if (!authKey) throw new DomainError('conflict', 'The site has no signing key: regenerate it.');
  return authKey;
}

export const publishingAuthRouter = router({
  get: siteSecretsProcedure
    .meta(
      route.get(AUTH, 'Get the visitor authentication settings of a site', 'getSitePublishingAuthById', {
        description:
          'Visitors of a site with the visibility `visitor-auth` need a JWT in the query parameter `jwt_token`, signed by HS256 with `privateKey`, whose `exp` is at most 30 days ahead. Its other claims are the signed claims of the visitor.',
      }),
    )
    .output(PublishingAuthObject)
    .query(({ ctx: { site, services } }) => present(services.signer, site)),

  update: siteChangeProcedure('site.updated')
    .meta(
      route.patch(
        AUTH,
        'Update the visitor authentication settings of a site',
        'updateSitePublishingAuthById',
        {
          description: 'Changes what signs the JWTs of visitors; the signing key stays the same.',
        },
      ),
    )
    .input(
      z.object({
        backend: z.enum(VISITOR_AUTH_BACKENDS).optional().describe('What signs the JWTs of visitors.'),
        fallbackURL: HttpUrl.nullable()
          .optional()
          .describe('Where visitors who are not authenticated are sent; null for nowhere.'),
      }),
    )
    .output(PublishingAuthObject)
    .mutation(async ({ ctx: { em, locked, services }, input: { backend, fallbackURL } }) => {
      if (backend !== undefined) locked.authBackend = backend;
      if (fallbackURL !== undefined) locked.authFallbackUrl = fallbackURL;
      await em.flush();
      return present(services.signer, locked);
    }),

  regenerate: siteChangeProcedure('site.updated')
    .meta(
      route.post(
        `${AUTH}/regenerate`,
        'Replace the key that signs the JWTs of visitors',
        'regenerateSitePublishingAuthById',
        {
          description:
            'From then on, everything that the previous key signed is refused, and so are previews made before.',
        },
      ),
    )
    .output(PublishingAuthObject)
    .mutation(async ({ ctx: { em, locked, services } }) => {
      locked.authKey = newAuthKey(services.signer);
      await em.flush();
      return present(services.signer, locked);
    }),

  preview: siteSecretsProcedure
    .meta(
      route.get(
        '/orgs/{organizationId}/sites/{siteId}/publishing/preview',
        'Get a URL that shows a site as a visitor sees it',
        'getSitePublishingPreviewById',
        {
          description:
            'The URL works for an hour, or until the signing key is replaced, whatever the visibility of the site, and even before it is published.',
        },
      ),
    )
    .input(
      z.object({
        siteSpace: z.string().optional().describe('Id of the site space to open.'),
        claims: z
          .string()
          .max(4096)
          .optional()
          .describe('The claims of the visitor, as Rison or JSON, with the unsigned ones in `unsigned`.'),
      }),
    )
    .output(z.object({ url: z.string().describe('The URL of the preview.') }))
    .query(async ({ ctx: { db, site, services }, input }) => {
      const claims = parsePreviewClaims(input.claims);
      const place = input.siteSpace === undefined ? {} : await findPlace(db, site.id, input.siteSpace);
      const pass = { key: fingerprintOf(keyOf(site)), preview: true as const };
      const shareKey = shareKeyOn(site, PREVIEW_KEY);
      const url = new URL(publishedUrl(services.urls, site, { ...place, shareKey }));
      const visitor = { site: site.id, organization: site.organization, pass, claims };
      url.searchParams.set(TOKEN_PARAMETER, await signPreview(services.signer, visitor));
      return { url: url.href };
    }),
});
