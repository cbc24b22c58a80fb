import { z } from 'zod';
import { HttpUrl } from '../../../schema/json/http-url.ts';
import {
  Announcement,
  copyright,
  Favicon,
  font,
  footerGroups,
  headerLinks,
  headerStyling,
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

/** Bounded, because the settings are read with every page. */
const MAX_LENGTH = 32_000;
export const isShort = (settings: unknown) => JSON.stringify(settings).length <= MAX_LENGTH;
export const tooLong = { error: 'must have at most 32,000 characters of JSON in all' };

const DESCRIPTIONS = {
  internationalization: "The language of the site's user interface.",
  themes: 'Light and dark mode.',
  pdf: 'PDF downloads.',
  feedback: 'Feedback from readers on whether a page helped.',
  git: 'Links to the Git repository.',
  externalLinks: 'Links to other websites.',
  pagination: 'Links to the previous and the next page.',
  trademark: 'The note about the service in the footer.',
  ai: 'Features for readers that use a language model.',
  advancedCustomization: 'The settings of higher plans.',
  pageActions: 'The actions that pages offer.',
} satisfies Record<keyof typeof sharedGroups | keyof typeof siteOnlyGroups, string>;

type Fields = Record<string, z.ZodType>;
type Optional<Shape extends Fields> = { [Key in keyof Shape]: z.ZodOptional<Shape[Key]> };
type Removable<Shape extends Fields> = { [Key in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[Key]>> };

const mapped = (shape: Fields, to: (field: z.ZodType, name: string) => z.ZodType) =>
  Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, to(field, name)]));
/** A wrapped schema with the description of the original, which wrapping hides. */
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

/** The customization of a site: its appearance and behavior. */
const CustomizationSettings = z.object({
  title: Title.optional().describe("A title shown instead of the site's own."),
  styling: z
    .object({
      ...styling,
      tint: tint.optional().describe('The color that backgrounds are tinted with.'),
      font,
      monospaceFont,
      sidebar: z.object(sidebar).describe('The appearance of the table of contents.'),
    })
    .describe('Colors, fonts and shapes.'),
  ...objects(sharedGroups),
  favicon: Favicon.describe('The icon that browsers show.'),
  header: z
    .object({ preset, ...optional(headerStyling), links: headerLinks.describe('The links in the header.') })
    .describe('The header of every page.'),
  footer: z
    .object({
      logo: ThemedUrl.optional().describe('The image in the footer.'),
      groups: footerGroups,
      copyright: copyright.optional().describe('The copyright notice.'),
    })
    .describe('The footer of every page.'),
  announcement: Announcement.optional().describe('An announcement at the top of every page.'),
  ...objects(siteOnlyGroups),
  privacyPolicy: z
    .object({ url: HttpUrl.optional().describe('The URL of the privacy policy.') })
    .describe('The privacy policy.'),
  socialPreview: z
    .object({ url: HttpUrl.optional().describe('The URL of the image.') })
    .describe('The preview image for links that are shared on social media.'),
  insights: z
    .object({
      trackingCookie: z.boolean().default(true).describe('Whether a cookie recognizes visitors.'),
    })
    .describe('Usage analytics.'),
});
export type Customization = z.infer<typeof CustomizationSettings>;

const PAGE_ACTIONS = ['assistant', 'external-ai', 'markdown', 'mcp', 'git', 'pdf'] as const;
const codeTheme = z.object({
  light: z.literal('default-light').describe('The theme for light mode.'),
  dark: z.literal('default-dark').describe('The theme for dark mode.'),
});

/** The settings, and values derived from them. */
export const CustomizationObject = CustomizationSettings.extend({
  styling: CustomizationSettings.shape.styling
    .extend({
      codeTheme: z
        .object({
          default: codeTheme.describe('The theme of code in documents.'),
          openapi: codeTheme.describe('The theme of code in API references.'),
        })
        .describe('The color themes of code.'),
    })
    .describe('Colors, fonts and shapes.'),
  pageActions: CustomizationSettings.shape.pageActions
    .extend({
      items: z.array(z.enum(PAGE_ACTIONS)).describe('The actions of a page, in display order.'),
    })
    .describe('The actions that pages offer.'),
  socialAccounts: z.array(z.never()).max(0).describe('The accounts linked in the footer.'),
}).meta({
  id: 'SiteCustomizationSettings',
  description: 'The customization of a site: its appearance and behavior.',
});

export function presentCustomization(customization: Customization): z.infer<typeof CustomizationObject> {
  const { styling, pageActions, ai, git, pdf } = customization;
  const theme = { light: 'default-light', dark: 'default-dark' } as const;
  const isEnabled: Record<(typeof PAGE_ACTIONS)[number], boolean> = {
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
    pageActions: { ...pageActions, items: PAGE_ACTIONS.filter((action) => isEnabled[action]) },
    socialAccounts: [],
  };
}

/** All settings of a site. */
export const CustomizationInput = CustomizationSettings.refine(isShort, tooLong);

const StylingOverrides = z.object({
  ...removable({ ...styling, tint }),
  sidebar: z.object(removable(sidebar)).optional().describe('The appearance of the table of contents.'),
});

const Overrides = z.object({
  title: Title.nullable().optional().describe("A title shown instead of the site's own."),
  styling: StylingOverrides.optional().describe('Colors, fonts and shapes.'),
  ...removables(sharedGroups),
  favicon: Favicon.nullable().optional().describe('The icon that browsers show.'),
  announcement: Announcement.nullable().optional().describe('An announcement at the top of every page.'),
  header: z
    .object(removable({ preset, ...headerStyling, links: headerLinks }))
    .optional()
    .describe('The header of every page.'),
  footer: z
    .object(
      removable({ logo: ThemedUrl.describe('The image in the footer.'), groups: footerGroups, copyright }),
    )
    .optional()
    .describe('The footer of every page.'),
  privacyPolicy: z
    .object(removable({ url: HttpUrl.describe('The URL of the privacy policy.') }))
    .optional()
    .describe('The privacy policy.'),
  socialPreview: z
    .object(removable({ url: HttpUrl.describe('The URL of the image.') }))
    .optional()
    .describe('The preview image for links that are shared on social media.'),
});

/** The settings in which a site space differs from its site: null resets a setting to that of the site. */
export const OverridesInput = Overrides.refine(isShort, tooLong);

/** Changes to the settings of a site: null resets a setting to its default. */
export const ChangesInput = Overrides.extend({
  styling: StylingOverrides.extend(removable({ font, monospaceFont }))
    .optional()
    .describe('Colors, fonts and shapes.'),
  ...removables(siteOnlyGroups),
  insights: z
    .object({
      trackingCookie: z.boolean().nullable().optional().describe('Whether a cookie recognizes visitors.'),
    })
    .optional()
    .describe('Usage analytics.'),
}).refine(isShort, tooLong);
export type ChangesInput = z.infer<typeof ChangesInput>;
