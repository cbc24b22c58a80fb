import { z } from 'zod';
import type { ConditionEvaluator } from '../../engine/expressions/conditions.ts';
import {
  type Customization,
  CustomizationObject,
  presentCustomization,
} from '../customization/customization.api.ts';
import { customizationFor, inherited } from '../customization/customization.ts';
import { SiteObject } from '../sites.api.ts';
import { presentStructure, SiteStructureObject } from '../structure/structure.api.ts';
import { siteSpacesIn } from '../structure/structure.ts';
import type { Reading } from './reading.query.ts';

/** Everything about a site that is needed to show it, but for its pages. */
export const PublishedSiteObject = z
  .object({
    object: z.literal('published-content-site'),
    site: SiteObject,
    structure: SiteStructureObject,
    customizations: z.object({
      site: CustomizationObject,
      siteSpaces: z
        .record(z.string(), CustomizationObject)
        .describe('By id, those of each site space, with what it inherits from the site.'),
    }),
    scripts: z.array(
      z.object({
        script: z.string(),
        contentSecurityPolicy: z.string().optional(),
        cookies: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'PublishedSite' });

/** `conditions` are those for a visitor; undefined for members, who see everything. */
export function presentPublishedSite(
  { structure, view }: Reading,
  site: z.infer<typeof SiteObject>,
  conditions: ConditionEvaluator | undefined,
): z.infer<typeof PublishedSiteObject> {
  const shown = (customization: Customization) =>
    presentCustomization(conditions ? customizationFor(customization, conditions) : customization);
  const ofSite = shown(view.customization);
  return {
    object: 'published-content-site',
    site,
    structure: presentStructure(structure, view),
    customizations: {
      site: ofSite,
      siteSpaces: Object.fromEntries(
        siteSpacesIn(structure).map(({ siteSpace }) => [
          siteSpace.id,
          siteSpace.customization ? shown(inherited(view.customization, siteSpace)) : ofSite,
        ]),
      ),
    },
    // Scripts are those of integrations, of which a self-hosted service has none.
    scripts: [],
  };
}
