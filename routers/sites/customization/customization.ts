import { DomainError } from '../../engine/errors.ts';
import type { ConditionEvaluator } from '../../engine/expressions/conditions.ts';
import { type ChangesInput, type Customization, isShort, tooLong } from './customization.api.ts';

const themed = (light: string, dark = light) => ({ light, dark });

/** What a site looks like before anything is set. */
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

/** Settings as they are stored: of a site all that were set, of a site space those that differ. */
type Stored = Record<string, unknown> | null | undefined;
type Settings = Record<string, unknown>;

/** Settings that are replaced as a whole though they have fields: two of them together would mean nothing. */
const WHOLE = new Set(['favicon', 'announcement']);
/** The one group within a group. */
const NESTED = 'sidebar';

const isGroup = (name: string, value: unknown, depth: number): value is Settings =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  (depth === 0 ? !WHOLE.has(name) : name === NESTED);

/** One settings object over another, group by group; what is absent in it stays. */
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

/** All settings of a site space: its own over those of the site. */
export const inherited = (site: Customization, siteSpace: { customization: Stored }): Customization =>
  siteSpace.customization ? (overlay(site, siteSpace.customization) as Customization) : site;

/** The settings as a visitor sees them: the links in the header whose conditions hold for them, without conditions. */
export const customizationFor = (
  customization: Customization,
  conditions: ConditionEvaluator,
): Customization => ({
  ...customization,
  header: {
    ...customization.header,
    links: customization.header.links
      .filter(({ condition }) => conditions.isShown([condition]))
      .map(({ condition: _, ...link }) => link),
  },
});

/**
 * The stored settings of a site or site space after a change; null once none is left.
 * @throws DomainError `invalid` if they become too long
 */
export function changedSettings(stored: Stored, changes: ChangesInput): Settings | null {
  const left = change(stored ?? {}, changes, 0);
  if (!isShort(left)) throw new DomainError('invalid', `The settings ${tooLong.error}.`);
  return Object.keys(left).length > 0 ? left : null;
}

function change(stored: Settings, changes: Settings, depth: number): Settings {
  const result = { ...stored };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    const set = isGroup(name, value, depth)
      ? change((stored[name] ?? {}) as Settings, value, depth + 1)
      : value;
    const isNothing = set === null || (isGroup(name, set, depth) && Object.keys(set).length === 0);
    if (isNothing) delete result[name];
    else result[name] = set;
  }
  return result;
}

const COLORS = ['infoColor', 'successColor', 'warningColor', 'dangerColor'] as const;

/** The customizations beyond the basic ones that are in use, as the published API names them. */
export function advancedCustomizations({ styling, header, footer }: Customization) {
  const { styling: plain } = DEFAULT_CUSTOMIZATION;
  const isPlain = (color: (typeof COLORS)[number]) =>
    styling[color].light === plain[color].light && styling[color].dark === plain[color].dark;
  const uses = {
    'header-logo': header.logo !== undefined,
    'theme-preset': styling.theme !== plain.theme,
    'premium-fonts': styling.font !== plain.font || styling.monospaceFont !== plain.monospaceFont,
    'custom-icons': styling.icons !== plain.icons,
    'footer-logo': footer.logo !== undefined,
    'footer-links': footer.groups.length > 0,
    'footer-copyright': Boolean(footer.copyright),
    'semantic-colors': !COLORS.every(isPlain),
  };
  return (Object.keys(uses) as (keyof typeof uses)[]).filter((name) => uses[name]);
}
