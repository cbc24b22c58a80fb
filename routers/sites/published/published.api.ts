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
    object: z
      .literal('published-content-site')
      .describe('The type of the object: always `published-content-site`.'),
    site: SiteObject.describe('The site.'),
    structure: SiteStructureObject.describe('Its sections and spaces, as the visitor may see them.'),
    customizations: z
      .object({
        site: CustomizationObject.describe('How the whole site looks.'),
        siteSpaces: z
          .record(z.string(), CustomizationObject)
          .describe('By id, those of each site space, with what it inherits from the site.'),
      })
      .describe('How it looks.'),
    scripts: z
      .array(
        z.object({
          script: z.string().describe('The URL of the script.'),
          contentSecurityPolicy: z.string().optional().describe('What the page must allow for it.'),
          cookies: z.boolean().describe('Whether the script sets cookies.'),
        }),
      )
      .describe('The scripts that its integrations add.'),
  })
  .meta({ id: 'PublishedContentSite', description: 'A site as its visitors see it.' });

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
