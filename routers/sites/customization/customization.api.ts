import { z } from 'zod';
import { HttpUrl } from '../../../schema/json/http-url.ts';
import {
  Announcement,
  copyright,
  Favicon,
  font,
  footerGroups,
  headerLinks,
  headerLooks,
  monospaceFont,
  preset,
  sharedGroups,
  sidebar,
  siteOnlyGroups,
  styling,
  ThemedUrl,
  Title,
  tint,
} from './settings.ts';

/** Settings are sent with every page that is read. */
const MAX_LENGTH = 32_000;
export const isShort = (settings: unknown) => JSON.stringify(settings).length <= MAX_LENGTH;
export const tooLong = { error: 'must be shorter than 32,000 characters of JSON in all' };

const DESCRIPTIONS = {
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
} satisfies Record<keyof typeof sharedGroups | keyof typeof siteOnlyGroups, string>;

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
    z.object(shape as unknown as Fields).describe(DESCRIPTIONS[name as keyof typeof DESCRIPTIONS]),
  ) as unknown as { [Key in keyof Shape]: z.ZodObject<Shape[Key]> };
const removables = <Shape extends Record<string, Fields>>(shapes: Shape) =>
  mapped(shapes as unknown as Fields, (shape, name) =>
    z
      .object(removable(shape as unknown as Fields))
      .optional()
      .describe(DESCRIPTIONS[name as keyof typeof DESCRIPTIONS]),
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
  ...objects(sharedGroups),
  favicon: Favicon.describe('The icon shown by browsers.'),
  header: z
    .object({ preset, ...optional(headerLooks), links: headerLinks.describe('The links in the header.') })
    .describe('What stands at the top of every page.'),
  footer: z
    .object({
      logo: ThemedUrl.optional().describe('The image in the footer.'),
      groups: footerGroups,
      copyright: copyright.optional().describe('The line about copyright.'),
    })
    .describe('What stands at the end of every page.'),
  announcement: Announcement.optional().describe('A note at the top of every page.'),
  ...objects(siteOnlyGroups),
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
  title: Title.nullable().optional().describe('The title, as shown to users.'),
  styling: StylingOverrides.optional().describe('Colors, fonts and shapes.'),
  ...removables(sharedGroups),
  favicon: Favicon.nullable().optional().describe('The icon shown by browsers.'),
  announcement: Announcement.nullable().optional().describe('A note at the top of every page.'),
  header: z
    .object(removable({ preset, ...headerLooks, links: headerLinks }))
    .optional()
    .describe('What stands at the top of every page.'),
  footer: z
    .object(
      removable({ logo: ThemedUrl.describe('The image in the footer.'), groups: footerGroups, copyright }),
    )
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
  ...removables(siteOnlyGroups),
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
