import { z } from 'zod';
import { siteProcedure } from '../access/procedures.ts';
import { lockSite } from '../audience/lock.operation.ts';
import { recordEvent } from '../events/record.operation.ts';
import { router } from '../trpc.ts';
import { Removal } from '../values.ts';
import { route } from './chapter.ts';
import { requireCondition } from './conditions.ts';
import { CustomizationInput, CustomizationObject, OverridesInput } from './customization.api.ts';
import { changedOverrides, customizationOf, inherited } from './customization.ts';
import { findSiteSpace, saveOverrides } from './site-spaces.operation.ts';

const ofSite = '/orgs/{organizationId}/sites/{siteId}/customization';
const ofSiteSpace = '/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/customization';

/** A procedure that changes settings of a site, which is locked until the end of the transaction. */
const customizing = siteProcedure('admin').use(async ({ ctx, next }) => {
  const { em, site } = ctx;
  const locked = await lockSite(em, site.id);
  recordEvent(em, {
    type: 'site.customization.updated',
    site: site.id,
    organization: site.organization,
  });
  return next({ ctx: { locked } });
});

/** What older clients send. Nothing is masked here: every site has every feature. */
const unmasked = z.boolean().default(false).describe('Without effect.').meta({ deprecated: true });

const aboutSiteSpace = z.object({ siteSpaceId: z.string() });

export const customizationRouter = router({
  get: siteProcedure('view')
    .meta(route.get(ofSite, 'Get the customization of a site', 'getSiteCustomizationById'))
    .input(z.object({ unmasked }))
    .output(CustomizationObject)
    .query(({ ctx }) => customizationOf(ctx.site)),

  set: customizing
    .meta(
      route.put(ofSite, 'Set the customization of a site', 'updateSiteCustomizationById', {
        description: 'All settings at once. Site spaces inherit those that they do not have otherwise.',
      }),
    )
    .input(CustomizationInput)
    .output(CustomizationObject)
    .mutation(async ({ ctx, input }) => {
      const { organizationId, siteId, ...customization } = input;
      for (const [index, { condition }] of customization.header.links.entries())
        requireCondition(condition, ctx.locked, `header.links.${index}.condition`);
      ctx.em.assign(ctx.locked, { customization });
      await ctx.em.flush();
      return customizationOf({ customization });
    }),

  getForSiteSpace: siteProcedure('view')
    .meta(
      route.get(ofSiteSpace, 'Get the customization of a site space', 'getSiteSpaceCustomizationById', {
        description: 'With the settings that it inherits from the site.',
      }),
    )
    .input(aboutSiteSpace.extend({ unmasked }))
    .output(CustomizationObject)
    .query(async ({ ctx, input }) => {
      const siteSpace = await findSiteSpace(ctx.db, ctx, input.siteSpaceId);
      return inherited(customizationOf(ctx.site), siteSpace);
    }),

  override: customizing
    .meta(
      route.patch(
        ofSiteSpace,
        'Override the customization of a site in a site space',
        'overrideSiteSpaceCustomizationById',
        { description: 'Null takes a setting back to that of the site.' },
      ),
    )
    .input(aboutSiteSpace)
    .input(OverridesInput)
    .output(CustomizationObject)
    .mutation(async ({ ctx, input }) => {
      const { organizationId, siteId, siteSpaceId, ...changes } = input;
      for (const [index, { condition }] of (changes.header?.links ?? []).entries())
        requireCondition(condition, ctx.locked, `header.links.${index}.condition`);
      const siteSpace = await findSiteSpace(ctx.db, ctx, siteSpaceId);
      const customization = changedOverrides(siteSpace.customization, changes);
      await saveOverrides(ctx.db, siteSpaceId, customization);
      return inherited(customizationOf(ctx.locked), { customization });
    }),

  inherit: customizing
    .meta(
      route.delete(
        ofSiteSpace,
        'Remove the customization of a site space',
        'deleteSiteSpaceCustomizationById',
        { description: 'It has all settings of the site then.' },
      ),
    )
    .input(aboutSiteSpace)
    .output(Removal)
    .mutation(async ({ ctx, input }) => {
      const { customization } = await findSiteSpace(ctx.db, ctx, input.siteSpaceId);
      await saveOverrides(ctx.db, input.siteSpaceId, null);
      return { removed: customization !== null };
    }),
});
