import { z } from 'zod';
import { ShareLink } from '../../schema/entities/share-link.ts';
import { newId } from '../../schema/ids.ts';
import { text } from '../../schema/json/text.ts';
import { columnsOf } from '../../schema/rows.ts';
import { Removal } from '../base/common-schemas.ts';
import { newSecret } from '../base/secrets.ts';
import { router } from '../base/trpc.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { deleteRows } from '../sql/delete-rows.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { route } from './route.ts';
import { presentShareLink, ShareLinkObject } from './share-links.api.ts';
import { siteChangeProcedure } from './site-change.procedures.ts';
import { siteSecretsProcedure } from './site-secrets.procedures.ts';

/** The most share links that a site may have. */
const MAX_LINKS = 100;

const LINKS = '/orgs/{organizationId}/sites/{siteId}/share-links';
const LINK = `${LINKS}/{shareLinkId}` as const;

const Name = text({ max: 50 });
const ShareLinkParams = z.object({ shareLinkId: z.string().describe('The id of the share link.') });

/** 144 random bits, as a segment of a path. */
const newKey = () => newSecret(18);

export const shareLinksRouter = router({
  list: siteSecretsProcedure
    .meta(
      route.get(LINKS, 'List the share links of a site', 'listSiteShareLinks', {
        description: 'Newest first, including links that are not active.',
      }),
    )
    .input(z.object(paging))
    .output(listOf(ShareLinkObject))
    .query(async ({ ctx, input }) => {
      const { db, site, services } = ctx;
      const listed = db.selectFrom('share_link').where('site_id', '=', site.id);
      return readPage(ctx, input, {
        rows: listed.select(columnsOf(ShareLink)),
        order: [{ column: 'share_link.id', direction: 'desc', of: (row) => row.id }],
        present: (link) => presentShareLink(link, site, services.urls),
      });
    }),

  create: siteChangeProcedure('site.updated')
    .meta(
      route.post(LINKS, 'Create a share link of a site', 'createSiteShareLink', {
        success: 201,
        description: 'The link opens the site while it is published with the visibility `share-link`.',
      }),
    )
    .input(z.object({ name: Name.describe('A name to recognize it by.') }))
    .output(ShareLinkObject)
    .mutation(async ({ ctx, input: { name } }) => {
      const { db, em, site, services } = ctx;
      const { count } = await db
        .selectFrom('share_link')
        .select((eb) => eb.fn.countAll<string>().as('count'))
        .where('site_id', '=', site.id)
        .executeTakeFirstOrThrow();
      // guard: share-link-limit
      if (Number(count) >= MAX_LINKS)
        throw new DomainError('conflict', `A site can have at most ${MAX_LINKS} share links.`);
      const link = em.create(ShareLink, { id: newId(), site: site.id, key: newKey(), name, active: true });
      await em.flush();
      return presentShareLink(link, site, services.urls);
    }),

  update: siteChangeProcedure('site.updated')
    .meta(
      route.patch(LINK, 'Update a share link of a site', 'updateSiteShareLinkById', {
        description: 'Deactivating a link immediately ends the access of everyone who used it.',
      }),
    )
    .input(
      ShareLinkParams.extend({
        active: z.boolean().optional().describe('Whether the link opens the site.'),
        name: Name.optional().describe('A name to recognize it by.'),
      }),
    )
    .output(ShareLinkObject)
    .mutation(async ({ ctx, input: { shareLinkId: id, active, name } }) => {
      const { em, site, services } = ctx;
      const link = await em.findOne(ShareLink, { id, site: site.id });
      if (!link) throw notFound('share link');
      if (active !== undefined) link.active = active;
      if (name !== undefined) link.name = name;
      await em.flush();
      return presentShareLink(link, site, services.urls);
    }),

  delete: siteChangeProcedure('site.updated')
    .meta(
      route.delete(LINK, 'Delete a share link of a site', 'deleteSiteShareLinkById', {
        description: 'Everyone who used the link loses access to the site.',
      }),
    )
    .input(ShareLinkParams)
    .output(Removal)
    .mutation(async ({ ctx: { db, site }, input: { shareLinkId: id } }) => {
      if ((await deleteRows(db, 'share_link', { id, site_id: site.id })) === 0) throw notFound('share link');
      return { removed: true };
    }),
});
