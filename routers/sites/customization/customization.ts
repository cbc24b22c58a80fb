import { DomainError } from '../../engine/errors.ts';
import type { ConditionEvaluator } from '../../engine/expressions/conditions.ts';
import { type ChangesInput, type Customization, isShort, tooLong } from './customization.api.ts';

const themed = (light: string, dark = light) => ({ light, dark });

/** The settings of a site before anything is set. */
const DEFAULT_CUSTOMIZATION: Customization = {
  styling: {
    theme: 'clean',
    primaryColor: themed('#346ddb'),
    infoColor: themed('#787878'),
    successColor: themed('#00c950'),
    warningColor: themed('#fe9a00'),
    dangerColor: themed('#fb2c36'),
    corners: 'rounded',
    depth: 'subtle',
    links: 'default',
    font: 'Inter',
    monospaceFont: 'IBMPlexMono',
    background: 'plain',
    icons: 'regular',
    sidebar: { background: 'default', list: 'default' },
    search: 'prominent',
  },
  internationalization: { locale: 'en' },
  favicon: {},
  header: { preset: 'default', links: [] },
  footer: { groups: [] },
  themes: { default: 'light', toggeable: true },
  pdf: { enabled: true },
  feedback: { enabled: false },
  ai: { mode: 'none' },
  advancedCustomization: { enabled: true },
  git: { showEditLink: false },
  pageActions: { externalAI: true, markdown: true, mcp: true },
  externalLinks: { target: 'self' },
  pagination: { enabled: true },
  trademark: { enabled: false },
  privacyPolicy: {},
  socialPreview: {},
  insights: { trackingCookie: true },
};

/** Settings as stored: for a site, those that were set; for a site space, those that differ from the site. */
type Stored = Record<string, unknown> | null | undefined;
type Settings = Record<string, unknown>;

/** Settings that are objects but are only replaced as a whole: merging two of them would make no sense. */
const ATOMIC = new Set(['favicon', 'announcement']);
/** The only group within a group. */
const NESTED = 'sidebar';

const isGroup = (name: string, value: unknown, depth: number): value is Settings =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  (depth === 0 ? !ATOMIC.has(name) : name === NESTED);

/** Overlays settings on others, group by group; those that are absent stay. */
function overlay(under: Settings, over: Settings, depth = 0): Settings {
  const result = { ...under };
  for (const [name, value] of Object.entries(over)) {
    if (value === undefined) continue;
    const below = under[name];
    result[name] =
      isGroup(name, value, depth) && isGroup(name, below, depth) ? overlay(below, value, depth + 1) : value;
  }
  return result;
}

/** All settings of a site. */
export const customizationOf = (site: { customization: Stored }): Customization =>
  overlay(DEFAULT_CUSTOMIZATION, site.customization ?? {}) as Customization;

/** All settings of a site space: its own overlaid on those of the site. */
export const siteSpaceCustomization = (
  site: Customization,
  siteSpace: { customization: Stored },
): Customization =>
  siteSpace.customization ? (overlay(site, siteSpace.customization) as Customization) : site;

/** The settings as a visitor sees them: with only the header links whose conditions they meet, without the conditions. */
export const customizationFor = (
  customization: Customization,
  conditions: ConditionEvaluator,
): Customization => ({
  ...customization,
  header: {
    ...customization.header,
    links: customization.header.links
      // guard: header-link-conditions
      .filter(({ condition }) => conditions.isShown([condition]))
      .map(({ condition: _, ...link }) => link),
  },
});

/**
 * The stored settings of a site or site space after a change; null once none is left.
 * @throws DomainError `invalid` if they become too long
 */
export function changedSettings(stored: Stored, changes: ChangesInput): Settings | null {
  const settings = merge(stored ?? {}, changes, 0);
  if (!isShort(settings)) throw new DomainError('invalid', `The settings ${tooLong.error}.`);
  return Object.keys(settings).length > 0 ? settings : null;
}

function merge(stored: Settings, changes: Settings, depth: number): Settings {
  const result = { ...stored };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    const merged = isGroup(name, value, depth)
      ? merge((stored[name] ?? {}) as Settings, value, depth + 1)
      : value;
    const isUnset = merged === null || (isGroup(name, merged, depth) && Object.keys(merged).length === 0);
    if (isUnset) delete result[name];
    else result[name] = merged;
  }
  return result;
}

const COLORS = ['infoColor', 'successColor', 'warningColor', 'dangerColor'] as const;

/** The advanced customizations in use, by their names in the published API. */
export function advancedCustomizations({ styling, header, footer }: Customization) {
  const { styling: defaults } = DEFAULT_CUSTOMIZATION;
  const isDefaultColor = (color: (typeof COLORS)[number]) =>
    styling[color].light === defaults[color].light && styling[color].dark === defaults[color].dark;
  const uses = {
    'header-logo': header.logo !== undefined,
    'theme-preset': styling.theme !== defaults.theme,
    'premium-fonts': styling.font !== defaults.font || styling.monospaceFont !== defaults.monospaceFont,
    'custom-icons': styling.icons !== defaults.icons,
    'footer-logo': footer.logo !== undefined,
    'footer-links': footer.groups.length > 0,
    'footer-copyright': Boolean(footer.copyright),
    'semantic-colors': !COLORS.every(isDefaultColor),
  };
  return (Object.keys(uses) as (keyof typeof uses)[]).filter((name) => uses[name]);
}
