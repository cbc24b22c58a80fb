import type { SiteRow } from '../access/load.query.ts';
import type { Customization } from './customization/customization.api.ts';
import { advancedCustomizations } from './customization/customization.ts';

/** The features that a site uses. A self-hosted site has all features on every plan, so none is ever frozen. */
export function featuresOf(site: SiteRow, customization: Customization) {
  const customizations = advancedCustomizations(customization);
  const { font, monospaceFont } = customization.styling;
  const uses = {
    'sites-public-visibility': site.visibility === 'public',
    'sites-unlisted-visibility': site.visibility === 'unlisted',
    'sites-share-links': site.visibility === 'share-link',
    'sites-visitor-authentication': site.visibility === 'visitor-auth',
    'sites-adaptive-content': site.adaptiveContent,
    'sites-sections': site.hasSections,
    'sites-multivariant-site': site.hasVariants,
    'sites-custom-domain': site.hostname !== null,
    'sites-custom-subdirectory': site.proxy !== null,
    'sites-custom-fonts': typeof font === 'object' || typeof monospaceFont === 'object',
    'sites-advanced-customization': customizations.length > 0,
    'sites-pdf-export': customization.pdf.enabled,
    'sites-page-feedback': customization.feedback.enabled,
  };
  return (Object.keys(uses) as (keyof typeof uses)[])
    .filter((id) => uses[id])
    .map((id) => ({
      id,
      plan: site.type,
      frozen: false,
      ...(id === 'sites-advanced-customization' && { customizations }),
    }));
}
