import { z } from 'zod';
import { HttpUrl } from '../../../schema/json/http-url.ts';
import { text } from '../../../schema/json/text.ts';
import { ContentRef } from '../../engine/document/document.ts';
import { emojiCode, emojiFrom } from '../../engine/emoji.ts';

const Color = z.string().regex(/^#(?:[0-9a-fA-F]{3}){1,2}$/, 'must be a color such as #346ddb');
const ThemedColor = z.object({ light: Color, dark: Color });
const ThemedUrl = z.object({ light: HttpUrl, dark: HttpUrl });
const Condition = text({ max: 1024 });

/** Schemes of links; a relative address is one of the site. */
const SAFE = new Set(['http:', 'https:', 'mailto:', 'tel:']);
const isSafe = (address: string) => SAFE.has(URL.parse(address, 'https://site.invalid')?.protocol ?? '');

/** A link's target, which never runs as a script. */
const Target = ContentRef.refine((ref) => ref.kind !== 'url' || (ref.url.length <= 2048 && isSafe(ref.url)), {
  error: 'must be an address of at most 2,048 characters that starts with https, http, mailto or tel',
});
const ContentLink = z.object({ title: text({ max: 64 }), to: Target });
const Links = z.array(ContentLink).max(100);

const FontDefinition = z.object({
  id: text({ min: 1, max: 64 }),
  custom: z.boolean(),
  // It ends in style sheets.
  fontFamily: z.string().regex(/^[\p{L}\p{N} _-]{1,50}$/u, 'must be the name of a font family'),
  fontFaces: z
    .array(
      z.object({
        weight: z.number().int().min(1).max(1000),
        sources: z
          .array(z.object({ url: HttpUrl, format: z.enum(['woff2', 'woff']).optional() }))
          .min(1)
          .max(10),
      }),
    )
    .min(1)
    .max(20),
});

/** One emoji, kept by its code points. */
const EmojiCode = z
  .string()
  .refine((given) => emojiFrom(given) !== undefined, { error: 'must be one emoji', abort: true })
  .overwrite((given) => emojiCode(emojiFrom(given) ?? ''));

const Favicon = z.union([z.object({ icon: ThemedUrl }), z.object({ emoji: EmojiCode }), z.strictObject({})]);

const Announcement = z.object({
  enabled: z.boolean(),
  message: text({ min: 2, max: 128 }),
  link: ContentLink.optional(),
  style: z.enum(['info', 'warning', 'danger', 'success']),
});

const enabled = { enabled: z.boolean() };

/** The groups of settings in which a site space may differ from its site, by their fields. */
const shared = {
  internationalization: {
    locale: z.enum(['en', 'fr', 'es', 'zh', 'ja', 'de', 'nl', 'no', 'pt-br', 'ru']),
  },
  themes: { default: z.enum(['light', 'dark']), toggeable: z.boolean() },
  pdf: enabled,
  feedback: enabled,
  git: { showEditLink: z.boolean() },
  externalLinks: { target: z.enum(['self', 'blank']) },
  pagination: enabled,
  trademark: enabled,
};

const styling = {
  theme: z.enum(['clean', 'muted', 'bold', 'gradient']),
  primaryColor: ThemedColor,
  infoColor: ThemedColor,
  successColor: ThemedColor,
  warningColor: ThemedColor,
  dangerColor: ThemedColor,
  corners: z.enum(['straight', 'rounded', 'circular']),
  depth: z.enum(['subtle', 'flat']),
  links: z.enum(['default', 'accent']),
  icons: z.enum(['regular', 'solid', 'duotone', 'light', 'thin']),
  search: z.enum(['prominent', 'subtle']),
  background: z.enum(['plain', 'match']),
};
const tint = z.object({ color: ThemedColor });
const sidebar = {
  background: z.enum(['default', 'filled']),
  list: z.enum(['default', 'pill', 'line']),
};
const font = z.union([
  z.enum([
    'ABCFavorit',
    'Inter',
    'Roboto',
    'RobotoSlab',
    'OpenSans',
    'SourceSansPro',
    'Lato',
    'Ubuntu',
    'Raleway',
    'Merriweather',
    'Overpass',
    'NotoSans',
    'IBMPlexSerif',
    'Poppins',
    'FiraSans',
  ]),
  FontDefinition,
]);
const monospaceFont = z.union([
  z.enum([
    'FiraCode',
    'IBMPlexMono',
    'JetBrainsMono',
    'SourceCodePro',
    'RobotoMono',
    'SpaceMono',
    'DMMono',
    'Inconsolata',
  ]),
  FontDefinition,
]);

const preset = z.enum(['default', 'bold', 'contrast', 'custom', 'none']);
const headerLinks = z
  .array(
    z.object({
      title: text({ max: 256 }),
      style: z.enum(['link', 'button-primary', 'button-secondary']).optional(),
      to: Target.nullable(),
      links: Links,
      condition: Condition.optional(),
    }),
  )
  .max(100);
const headerLooks = { logo: ThemedUrl, backgroundColor: ThemedColor, linkColor: ThemedColor };
const groups = z.array(z.object({ title: text({ max: 256 }), links: Links })).max(100);
const copyright = text({ max: 300 });
const Title = text({ min: 2, max: 128 });

/** Settings are sent with every page that is read. */
const MAX_LENGTH = 32_000;
export const isShort = (settings: unknown) => JSON.stringify(settings).length <= MAX_LENGTH;
export const tooLong = { error: 'must be shorter than 32,000 characters of JSON in all' };

/** Groups of settings in which a site space cannot differ from its site. */
const ofSites = {
  ai: { mode: z.enum(['none', 'search', 'assistant']) },
  advancedCustomization: enabled,
  pageActions: { externalAI: z.boolean(), markdown: z.boolean(), mcp: z.boolean() },
};

type Fields = Record<string, z.ZodType>;
type Optional<Shape extends Fields> = { [Key in keyof Shape]: z.ZodOptional<Shape[Key]> };
type Removable<Shape extends Fields> = { [Key in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[Key]>> };

const mapped = (shape: Fields, to: (field: z.ZodType) => z.ZodType) =>
  Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, to(field)]));
const optional = <Shape extends Fields>(shape: Shape) =>
  mapped(shape, (field) => field.optional()) as Optional<Shape>;
/** Null removes a setting. */
const removable = <Shape extends Fields>(shape: Shape) =>
  mapped(shape, (field) => field.nullable().optional()) as Removable<Shape>;

const objects = <Shape extends Record<string, Fields>>(shapes: Shape) =>
  mapped(shapes as unknown as Fields, (shape) => z.object(shape as unknown as Fields)) as unknown as {
    [Key in keyof Shape]: z.ZodObject<Shape[Key]>;
  };
const removables = <Shape extends Record<string, Fields>>(shapes: Shape) =>
  mapped(shapes as unknown as Fields, (shape) =>
    z.object(removable(shape as unknown as Fields)).optional(),
  ) as unknown as { [Key in keyof Shape]: z.ZodOptional<z.ZodObject<Removable<Shape[Key]>>> };

/** How a site looks and behaves. */
const CustomizationSettings = z.object({
  title: Title.optional(),
  styling: z.object({
    ...styling,
    tint: tint.optional(),
    font,
    monospaceFont,
    sidebar: z.object(sidebar),
  }),
  ...objects(shared),
  favicon: Favicon,
  header: z.object({ preset, ...optional(headerLooks), links: headerLinks }),
  footer: z.object({ logo: ThemedUrl.optional(), groups, copyright: copyright.optional() }),
  announcement: Announcement.optional(),
  ...objects(ofSites),
  privacyPolicy: z.object({ url: HttpUrl.optional() }),
  socialPreview: z.object({ url: HttpUrl.optional() }),
  insights: z.object({ trackingCookie: z.boolean().default(true) }),
});
export type Customization = z.infer<typeof CustomizationSettings>;

const PAGE_ACTIONS = ['assistant', 'external-ai', 'markdown', 'mcp', 'git', 'pdf'] as const;
const codeTheme = z.object({ light: z.literal('default-light'), dark: z.literal('default-dark') });

/** The settings with what follows from them. */
export const CustomizationObject = CustomizationSettings.extend({
  styling: CustomizationSettings.shape.styling.extend({
    codeTheme: z.object({ default: codeTheme, openapi: codeTheme }),
  }),
  pageActions: CustomizationSettings.shape.pageActions.extend({
    items: z
      .array(z.enum(PAGE_ACTIONS))
      .describe('The actions of a page in the order in which they are shown.'),
  }),
  socialAccounts: z.array(z.never()).max(0),
}).meta({ id: 'SiteCustomizationSettings' });

export function presentCustomization(customization: Customization): z.infer<typeof CustomizationObject> {
  const { styling, pageActions, ai, git, pdf } = customization;
  const theme = { light: 'default-light', dark: 'default-dark' } as const;
  const shown: Record<(typeof PAGE_ACTIONS)[number], boolean> = {
    assistant: ai.mode === 'assistant',
    'external-ai': pageActions.externalAI,
    markdown: pageActions.markdown,
    mcp: pageActions.mcp,
    git: git.showEditLink,
    pdf: pdf.enabled,
  };
  return {
    ...customization,
    styling: { ...styling, codeTheme: { default: theme, openapi: theme } },
    pageActions: { ...pageActions, items: PAGE_ACTIONS.filter((action) => shown[action]) },
    socialAccounts: [],
  };
}

/** All settings of a site at once. */
export const CustomizationInput = CustomizationSettings.refine(isShort, tooLong);

const StylingOverrides = z.object({
  ...removable({ ...styling, tint }),
  sidebar: z.object(removable(sidebar)).optional(),
});

const Overrides = z.object({
  title: Title.nullable().optional(),
  styling: StylingOverrides.optional(),
  ...removables(shared),
  favicon: Favicon.nullable().optional(),
  announcement: Announcement.nullable().optional(),
  header: z.object(removable({ preset, ...headerLooks, links: headerLinks })).optional(),
  footer: z.object(removable({ logo: ThemedUrl, groups, copyright })).optional(),
  privacyPolicy: z.object(removable({ url: HttpUrl })).optional(),
  socialPreview: z.object(removable({ url: HttpUrl })).optional(),
});

/** The settings in which a site space differs from its site: null resets one to that of the site. */
export const OverridesInput = Overrides.refine(isShort, tooLong);

/** Changes to the settings of a site: null resets one to its default. */
export const ChangesInput = Overrides.extend({
  styling: StylingOverrides.extend(removable({ font, monospaceFont })).optional(),
  ...removables(ofSites),
  insights: z.object({ trackingCookie: z.boolean().nullable().optional() }).optional(),
}).refine(isShort, tooLong);
export type ChangesInput = z.infer<typeof ChangesInput>;
