import { z } from 'zod';
import { siteProcedure } from '../../access/procedures.ts';
import { siteChangeProcedure } from '../../audience/site-change.procedures.ts';
import { Removal } from '../../base/common-schemas.ts';
import { router } from '../../base/trpc.ts';
import { requireCondition } from '../conditions.ts';
import { route } from '../route.ts';
import { findSiteSpace, saveOverrides } from '../structure/site-spaces.operation.ts';
import {
  ChangesInput,
  type Customization,
  CustomizationInput,
  CustomizationObject,
  OverridesInput,
  presentCustomization,
} from './customization.api.ts';
import { changedSettings, customizationOf, siteSpaceCustomization } from './customization.ts';

const ofSite = '/orgs/{organizationId}/sites/{siteId}/customization';
const ofSiteSpace = '/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/customization';

const customizing = siteChangeProcedure('site.customization.updated');

/** Sent by older clients. Nothing is masked: every site has every feature. */
const unmasked = z.boolean().default(false).describe('Has no effect.').meta({ deprecated: true });

/** @throws DomainError `invalid` for a condition of a link that is not valid on the site */
function requireConditions(
  { header }: { header?: { links?: Customization['header']['links'] | null | undefined } | undefined },
  site: Parameters<typeof requireCondition>[1],
): void {
  for (const [index, { condition }] of (header?.links ?? []).entries())
    requireCondition(condition, site, `header.links.${index}.condition`);
}

const aboutSiteSpace = z.object({
  siteSpaceId: z.string().describe('The id of the site space, which places a space on the site.'),
});

export const customizationRouter = router({
  get: siteProcedure('view')
    .meta(
      route.get(ofSite, 'Get the customization of a site', 'getSiteCustomizationById', {
        description: 'Returns all settings, with defaults for those that are not set.',
      }),
    )
    .input(z.object({ unmasked }))
    .output(CustomizationObject)
    .query(({ ctx }) => presentCustomization(customizationOf(ctx.site))),

  set: customizing
    .meta(
      route.put(ofSite, 'Set the customization of a site', 'updateSiteCustomizationById', {
        description: 'Replaces all settings. Site spaces inherit those that they do not override.',
      }),
    )
    .input(CustomizationInput)
    .output(CustomizationObject)
    .mutation(async ({ ctx, input }) => {
      const { organizationId, siteId, ...customization } = input;
      requireConditions(customization, ctx.locked);
      ctx.em.assign(ctx.locked, { customization });
      await ctx.em.flush();
      return presentCustomization(customizationOf({ customization }));
    }),

  update: customizing
    .meta(
      route.patch(ofSite, 'Update the customization of a site', 'patchSiteCustomizationById', {
        description: 'Null resets a setting to its default.',
      }),
    )
    .input(ChangesInput)
    .output(CustomizationObject)
    .mutation(async ({ ctx, input }) => {
      const { organizationId, siteId, ...changes } = input;
      requireConditions(changes, ctx.locked);
      const customization = changedSettings(ctx.locked.customization, changes);
      ctx.em.assign(ctx.locked, { customization });
      await ctx.em.flush();
      return presentCustomization(customizationOf({ customization }));
    }),

  getForSiteSpace: siteProcedure('view')
    .meta(
      route.get(ofSiteSpace, 'Get the customization of a site space', 'getSiteSpaceCustomizationById', {
        description: 'Includes the settings that it inherits from the site.',
      }),
    )
    .input(aboutSiteSpace.extend({ unmasked }))
    .output(CustomizationObject)
    .query(async ({ ctx, input }) => {
      const siteSpace = await findSiteSpace(ctx.db, ctx, input.siteSpaceId);
      return presentCustomization(siteSpaceCustomization(customizationOf(ctx.site), siteSpace));
    }),

  updateForSiteSpace: customizing
    .meta(
      route.patch(
        ofSiteSpace,
        'Override the customization of a site in a site space',
        'overrideSiteSpaceCustomizationById',
        { description: 'Null resets a setting to the value of the site.' },
      ),
    )
    .input(aboutSiteSpace)
    .input(OverridesInput)
    .output(CustomizationObject)
    .mutation(async ({ ctx, input }) => {
      const { organizationId, siteId, siteSpaceId, ...changes } = input;
      requireConditions(changes, ctx.locked);
      const siteSpace = await findSiteSpace(ctx.db, ctx, siteSpaceId);
      const customization = changedSettings(siteSpace.customization, changes);
      await saveOverrides(ctx.db, siteSpaceId, customization);
      return presentCustomization(siteSpaceCustomization(customizationOf(ctx.locked), { customization }));
    }),

  setForSiteSpace: customizing
    .meta(
      route.put(ofSiteSpace, 'Set the customization of a site space', 'setSiteSpaceCustomizationById', {
        description: 'Replaces all of its overrides; it inherits all other settings from the site.',
      }),
    )
    .input(aboutSiteSpace)
    .input(OverridesInput)
    .output(CustomizationObject)
    .mutation(async ({ ctx, input }) => {
      const { organizationId, siteId, siteSpaceId, ...settings } = input;
      requireConditions(settings, ctx.locked);
      await findSiteSpace(ctx.db, ctx, siteSpaceId);
      const customization = changedSettings(null, settings);
      await saveOverrides(ctx.db, siteSpaceId, customization);
      return presentCustomization(siteSpaceCustomization(customizationOf(ctx.locked), { customization }));
    }),

  deleteForSiteSpace: customizing
    .meta(
      route.delete(
        ofSiteSpace,
        'Remove the customization of a site space',
        'deleteSiteSpaceCustomizationById',
        { description: 'It then inherits all settings from the site.' },
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
