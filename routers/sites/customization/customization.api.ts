import { z } from 'zod';
import { HttpUrl } from '../../../schema/json/http-url.ts';
import { text } from '../../../schema/json/text.ts';
import { ContentRef } from '../../engine/document/document.ts';
import { emojiCode, emojiFrom } from '../../engine/emoji.ts';

const Color = z.string().regex(/^#(?:[0-9a-fA-F]{3}){1,2}$/, 'must be a color such as #346ddb');
const ThemedColor = z.object({
  light: Color.describe('The color in light mode.'),
  dark: Color.describe('The color in dark mode.'),
});
const ThemedUrl = z.object({
  light: HttpUrl.describe('The URL of the image in light mode.'),
  dark: HttpUrl.describe('The URL of the image in dark mode.'),
});
const Condition = text({ max: 1024 });

/** Schemes of links; a relative address is one of the site. */
const SAFE = new Set(['http:', 'https:', 'mailto:', 'tel:']);
const isSafe = (address: string) => SAFE.has(URL.parse(address, 'https://site.invalid')?.protocol ?? '');

/** A link's target, which never runs as a script. */
const Target = ContentRef.refine((ref) => ref.kind !== 'url' || (ref.url.length <= 2048 && isSafe(ref.url)), {
  error: 'must be an address of at most 2,048 characters that starts with https, http, mailto or tel',
});
const ContentLink = z.object({
  title: text({ max: 64 }).describe('The text of the link.'),
  to: Target.describe('Where the link leads.'),
});
const Links = z.array(ContentLink).max(100);

const FontDefinition = z.object({
  id: text({ min: 1, max: 64 }).describe('An opaque identifier that never changes.'),
  custom: z.boolean().describe("Tells that the font is the site's own."),
  // It ends in style sheets.
  fontFamily: z
    .string()
    .regex(/^[\p{L}\p{N} _-]{1,50}$/u, 'must be the name of a font family')
    .describe('The name of the font.'),
  fontFaces: z
    .array(
      z.object({
        weight: z.number().int().min(1).max(1000).describe('The weight, such as 400.'),
        sources: z
          .array(
            z.object({
              url: HttpUrl.describe('The URL of the file.'),
              format: z.enum(['woff2', 'woff']).optional().describe('The format of the file.'),
            }),
          )
          .min(1)
          .max(10)
          .describe('The files, in order of preference.'),
      }),
    )
    .min(1)
    .max(20)
    .describe('The files of the font, by weight.'),
});

/** One emoji, kept by its code points. */
const EmojiCode = z
  .string()
  .refine((given) => emojiFrom(given) !== undefined, { error: 'must be one emoji', abort: true })
  .overwrite((given) => emojiCode(emojiFrom(given) ?? ''));

const Favicon = z.union([
  z.object({ icon: ThemedUrl.describe('The image shown by browsers.') }),
  z.object({
    emoji: EmojiCode.describe('An emoji: hexadecimal code points joined by hyphens, such as `1f389`.'),
  }),
  z.strictObject({}),
]);

const Announcement = z.object({
  enabled: z.boolean().describe('Whether the announcement is shown.'),
  message: text({ min: 2, max: 128 }).describe('What it says.'),
  link: ContentLink.optional().describe('A link behind it.'),
  style: z.enum(['info', 'warning', 'danger', 'success']).describe('How urgent it looks.'),
});

const enabled = { enabled: z.boolean().describe('Whether it is on.') };

/** The groups of settings in which a site space may differ from its site, by their fields. */
const shared = {
  internationalization: {
    locale: z
      .enum(['en', 'fr', 'es', 'zh', 'ja', 'de', 'nl', 'no', 'pt-br', 'ru'])
      .describe("The language of the site's own words."),
  },
  themes: {
    default: z.enum(['light', 'dark']).describe('The mode that visitors get first.'),
    toggeable: z.boolean().describe('Whether visitors may switch between light and dark mode.'),
  },
  pdf: enabled,
  feedback: enabled,
  git: { showEditLink: z.boolean().describe('Whether pages link to their source.') },
  externalLinks: {
    target: z.enum(['self', 'blank']).describe('Whether they open in the same tab or in a new one.'),
  },
  pagination: enabled,
  trademark: enabled,
};

const styling = {
  theme: z.enum(['clean', 'muted', 'bold', 'gradient']).describe('How strongly the site uses its colors.'),
  primaryColor: ThemedColor.describe('The color of links and buttons.'),
  infoColor: ThemedColor.describe('The color of notes.'),
  successColor: ThemedColor.describe('The color of what went well.'),
  warningColor: ThemedColor.describe('The color of warnings.'),
  dangerColor: ThemedColor.describe('The color of dangers.'),
  corners: z.enum(['straight', 'rounded', 'circular']).describe('How round corners are.'),
  depth: z.enum(['subtle', 'flat']).describe('Whether boxes have shadows.'),
  links: z.enum(['default', 'accent']).describe('How links look.'),
  icons: z.enum(['regular', 'solid', 'duotone', 'light', 'thin']).describe('The style of icons.'),
  search: z.enum(['prominent', 'subtle']).describe('How much room the search has.'),
  background: z.enum(['plain', 'match']).describe('Whether the background is tinted.'),
};
const tint = z
  .object({ color: ThemedColor.describe('The color.') })
  .describe('The color that backgrounds are tinted with.');
const sidebar = {
  background: z
    .enum(['default', 'filled'])
    .describe('Whether the table of contents has a background of its own.'),
  list: z
    .enum(['default', 'pill', 'line'])
    .describe('How the present page is marked in the table of contents.'),
};
const font = z
  .union([
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
  ])
  .describe('The font of the text.');
const monospaceFont = z
  .union([
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
  ])
  .describe('The font of code.');

const preset = z
  .enum(['default', 'bold', 'contrast', 'custom', 'none'])
  .describe('How the header is colored.');
const headerLinks = z
  .array(
    z.object({
      title: text({ max: 256 }).describe('The text of the link.'),
      style: z
        .enum(['link', 'button-primary', 'button-secondary'])
        .optional()
        .describe('Whether it is shown as a link or as a button.'),
      to: Target.nullable().describe('Where it leads.'),
      links: Links.describe('The links in its menu.'),
      condition: Condition.optional().describe(
        "An expression over the visitor's claims that must be true for it to be shown; null removes it.",
      ),
    }),
  )
  .max(100)
  .describe('The links in the header.');
const headerLooks = {
  logo: ThemedUrl.describe('The image in the header.'),
  backgroundColor: ThemedColor.describe('The color of the header.'),
  linkColor: ThemedColor.describe('The color of the links in the header.'),
};
const groups = z
  .array(
    z.object({
      title: text({ max: 256 }).describe('The heading of the links.'),
      links: Links.describe('The links below it.'),
    }),
  )
  .max(100)
  .describe('The columns of links.');
const copyright = text({ max: 300 }).describe('The line about copyright.');
const Title = text({ min: 2, max: 128 });

/** Settings are sent with every page that is read. */
const MAX_LENGTH = 32_000;
export const isShort = (settings: unknown) => JSON.stringify(settings).length <= MAX_LENGTH;
export const tooLong = { error: 'must be shorter than 32,000 characters of JSON in all' };

/** Groups of settings in which a site space cannot differ from its site. */
const ofSites = {
  ai: { mode: z.enum(['none', 'search', 'assistant']).describe('What readers are offered.') },
  advancedCustomization: enabled,
  pageActions: {
    externalAI: z.boolean().describe('Whether pages can be opened in assistants elsewhere.'),
    markdown: z.boolean().describe('Whether pages can be copied as Markdown.'),
    mcp: z.boolean().describe("Whether the address of the site's MCP server is offered."),
  },
};

const GROUPS = {
  internationalization: "The language of the site's own words.",
  themes: 'Light and dark mode.',
  pdf: 'Downloads as PDF.',
  feedback: 'Asking readers whether a page helped.',
  git: 'Links to the Git repository.',
  externalLinks: 'Links to other sites.',
  pagination: 'Links to the pages before and after.',
  trademark: 'The note about the service in the footer.',
  ai: 'What a language model offers readers.',
  advancedCustomization: 'Settings of higher plans.',
  pageActions: 'The actions offered on pages.',
} satisfies Record<keyof typeof shared | keyof typeof ofSites, string>;

type Fields = Record<string, z.ZodType>;
type Optional<Shape extends Fields> = { [Key in keyof Shape]: z.ZodOptional<Shape[Key]> };
type Removable<Shape extends Fields> = { [Key in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[Key]>> };

const mapped = (shape: Fields, to: (field: z.ZodType, name: string) => z.ZodType) =>
  Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, to(field, name)]));
/** Wrapping a schema leaves its description inside. */
const described = (field: z.ZodType, wrapped: z.ZodType) =>
  field.description === undefined ? wrapped : wrapped.describe(field.description);
const optional = <Shape extends Fields>(shape: Shape) =>
  mapped(shape, (field) => described(field, field.optional())) as Optional<Shape>;
/** Null removes a setting. */
const removable = <Shape extends Fields>(shape: Shape) =>
  mapped(shape, (field) => described(field, field.nullable().optional())) as Removable<Shape>;

const objects = <Shape extends Record<string, Fields>>(shapes: Shape) =>
  mapped(shapes as unknown as Fields, (shape, name) =>
    z.object(shape as unknown as Fields).describe(GROUPS[name as keyof typeof GROUPS]),
  ) as unknown as { [Key in keyof Shape]: z.ZodObject<Shape[Key]> };
const removables = <Shape extends Record<string, Fields>>(shapes: Shape) =>
  mapped(shapes as unknown as Fields, (shape, name) =>
    z
      .object(removable(shape as unknown as Fields))
      .optional()
      .describe(GROUPS[name as keyof typeof GROUPS]),
  ) as unknown as { [Key in keyof Shape]: z.ZodOptional<z.ZodObject<Removable<Shape[Key]>>> };

/** How a site looks and behaves. */
const CustomizationSettings = z.object({
  title: Title.optional().describe("The title that is shown instead of the site's own."),
  styling: z
    .object({
      ...styling,
      tint: tint.optional().describe('The color that backgrounds are tinted with.'),
      font,
      monospaceFont,
      sidebar: z.object(sidebar).describe('How the table of contents looks.'),
    })
    .describe('Colors, fonts and shapes.'),
  ...objects(shared),
  favicon: Favicon.describe('The icon shown by browsers.'),
  header: z
    .object({ preset, ...optional(headerLooks), links: headerLinks.describe('The links in the header.') })
    .describe('What stands at the top of every page.'),
  footer: z
    .object({
      logo: ThemedUrl.optional().describe('The image in the footer.'),
      groups,
      copyright: copyright.optional().describe('The line about copyright.'),
    })
    .describe('What stands at the end of every page.'),
  announcement: Announcement.optional().describe('A note at the top of every page.'),
  ...objects(ofSites),
  privacyPolicy: z
    .object({ url: HttpUrl.optional().describe('The URL of the privacy policy.') })
    .describe('The privacy policy.'),
  socialPreview: z
    .object({ url: HttpUrl.optional().describe('The URL of the image.') })
    .describe('The image shown where pages are shared.'),
  insights: z
    .object({
      trackingCookie: z.boolean().default(true).describe('Whether visitors are recognized by a cookie.'),
    })
    .describe('What is recorded of visits.'),
});
export type Customization = z.infer<typeof CustomizationSettings>;

const PAGE_ACTIONS = ['assistant', 'external-ai', 'markdown', 'mcp', 'git', 'pdf'] as const;
const codeTheme = z.object({
  light: z.literal('default-light').describe('In light mode.'),
  dark: z.literal('default-dark').describe('In dark mode.'),
});

/** The settings with what follows from them. */
export const CustomizationObject = CustomizationSettings.extend({
  styling: CustomizationSettings.shape.styling
    .extend({
      codeTheme: z
        .object({
          default: codeTheme.describe('Of code in documents.'),
          openapi: codeTheme.describe('Of code in API references.'),
        })
        .describe('The colors of code.'),
    })
    .describe('Colors, fonts and shapes.'),
  pageActions: CustomizationSettings.shape.pageActions
    .extend({
      items: z
        .array(z.enum(PAGE_ACTIONS))
        .describe('The actions of a page in the order in which they are shown.'),
    })
    .describe('The actions offered on pages.'),
  socialAccounts: z.array(z.never()).max(0).describe('The accounts linked in the footer.'),
}).meta({ id: 'SiteCustomizationSettings', description: 'How a site looks and behaves.' });

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
  sidebar: z.object(removable(sidebar)).optional().describe('How the table of contents looks.'),
});

const Overrides = z.object({
  title: Title.nullable().optional().describe('The title that people see.'),
  styling: StylingOverrides.optional().describe('Colors, fonts and shapes.'),
  ...removables(shared),
  favicon: Favicon.nullable().optional().describe('The icon shown by browsers.'),
  announcement: Announcement.nullable().optional().describe('A note at the top of every page.'),
  header: z
    .object(removable({ preset, ...headerLooks, links: headerLinks }))
    .optional()
    .describe('What stands at the top of every page.'),
  footer: z
    .object(removable({ logo: ThemedUrl.describe('The image in the footer.'), groups, copyright }))
    .optional()
    .describe('What stands at the end of every page.'),
  privacyPolicy: z
    .object(removable({ url: HttpUrl.describe('The URL of the privacy policy.') }))
    .optional()
    .describe('The privacy policy.'),
  socialPreview: z
    .object(removable({ url: HttpUrl.describe('The URL of the image.') }))
    .optional()
    .describe('The image shown where pages are shared.'),
});

/** The settings in which a site space differs from its site: null resets one to that of the site. */
export const OverridesInput = Overrides.refine(isShort, tooLong);

/** Changes to the settings of a site: null resets one to its default. */
export const ChangesInput = Overrides.extend({
  styling: StylingOverrides.extend(removable({ font, monospaceFont }))
    .optional()
    .describe('Colors, fonts and shapes.'),
  ...removables(ofSites),
  insights: z
    .object({
      trackingCookie: z
        .boolean()
        .nullable()
        .optional()
        .describe('Whether visitors are recognized by a cookie.'),
    })
    .optional()
    .describe('What is recorded of visits.'),
}).refine(isShort, tooLong);
export type ChangesInput = z.infer<typeof ChangesInput>;
