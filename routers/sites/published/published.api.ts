import { z } from 'zod';
import type { ConditionEvaluator } from '../../engine/expressions/conditions.ts';
import {
  type Customization,
  CustomizationObject,
  presentCustomization,
} from '../customization/customization.api.ts';
import { customizationFor, siteSpaceCustomization } from '../customization/customization.ts';
import { SiteObject } from '../sites.api.ts';
import { presentStructure, SiteStructureObject } from '../structure/structure.api.ts';
import { siteSpacesIn } from '../structure/structure.ts';
import type { VisibleStructure } from './visible-structure.query.ts';

/** Everything that is needed to render a site, except its pages. */
export const PublishedSiteObject = z
  .object({
    object: z
      .literal('published-content-site')
      .describe('The type of the object: always `published-content-site`.'),
    site: SiteObject.describe('The site.'),
    structure: SiteStructureObject.describe('The sections and spaces that the visitor may see.'),
    customizations: z
      .object({
        site: CustomizationObject.describe('The customization of the site.'),
        siteSpaces: z
          .record(z.string(), CustomizationObject)
          .describe(
            'The customization of each site space, by its id, including what it inherits from the site.',
          ),
      })
      .describe('The customizations of the site and its site spaces.'),
    scripts: z
      .array(
        z.object({
          script: z.string().describe('The URL of the script.'),
          contentSecurityPolicy: z
            .string()
            .optional()
            .describe('The Content Security Policy that the script needs.'),
          cookies: z.boolean().describe('Whether the script sets cookies.'),
        }),
      )
      .describe('The scripts that integrations add.'),
  })
  .meta({ id: 'PublishedContentSite', description: 'A site as its visitors see it.' });

/** `conditions` are those for a visitor; undefined for members, who see everything. */
export function presentPublishedSite(
  { structure, view }: VisibleStructure,
  site: z.infer<typeof SiteObject>,
  conditions: ConditionEvaluator | undefined,
): z.infer<typeof PublishedSiteObject> {
  const present = (customization: Customization) =>
    presentCustomization(conditions ? customizationFor(customization, conditions) : customization);
  const ofSite = present(view.customization);
  return {
    object: 'published-content-site',
    site,
    structure: presentStructure(structure, view),
    customizations: {
      site: ofSite,
      siteSpaces: Object.fromEntries(
        siteSpacesIn(structure).map(({ siteSpace }) => [
          siteSpace.id,
          siteSpace.customization ? present(siteSpaceCustomization(view.customization, siteSpace)) : ofSite,
        ]),
      ),
    },
    // Scripts come from integrations, which a self-hosted service does not have.
    scripts: [],
  };
}
