/** The schemas of the settings of a site, in the same groups as in the API. */

import { z } from 'zod';
import { HttpUrl } from '../../../schema/json/http-url.ts';
import { text } from '../../../schema/json/text.ts';
import { ContentRef } from '../../engine/document/document.ts';
import { safeHref } from '../../engine/document/safe-href.ts';
import { emojiCodePoints, parseEmoji } from '../../engine/emoji.ts';

const Color = z.string().regex(/^#(?:[0-9a-fA-F]{3}){1,2}$/, 'must be a color such as #346ddb');
const ThemedColor = z.object({
  light: Color.describe('The color in light mode.'),
  dark: Color.describe('The color in dark mode.'),
});
export const ThemedUrl = z.object({
  light: HttpUrl.describe('The URL of the image in light mode.'),
  dark: HttpUrl.describe('The URL of the image in dark mode.'),
});
const Condition = text({ max: 1024 });

const isSafe = (address: string) => safeHref(address) !== undefined;

/** The target of a link, which can never run a script. */
// guard: site-link-scripts
const Target = ContentRef.refine((ref) => ref.kind !== 'url' || (ref.url.length <= 2048 && isSafe(ref.url)), {
  error: 'must be a URL of at most 2,048 characters with a scheme such as https, mailto or tel',
});
const ContentLink = z.object({
  title: text({ max: 64 }).describe('The text of the link.'),
  to: Target.describe('Where the link leads.'),
});
const Links = z.array(ContentLink).max(100);

const FontDefinition = z.object({
  id: text({ min: 1, max: 64 }).describe('An opaque identifier that never changes.'),
  custom: z.boolean().describe('Whether it is a custom font of the site.'),
  // Restricted, because it ends up in style sheets.
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

/** One emoji, stored as its code points. */
const EmojiCode = z
  .string()
  .refine((given) => parseEmoji(given) !== undefined, { error: 'must be one emoji', abort: true })
  .overwrite((given) => emojiCodePoints(parseEmoji(given) ?? ''));

export const Favicon = z.union([
  z.object({ icon: ThemedUrl.describe('The image that browsers show.') }),
  z.object({
    emoji: EmojiCode.describe('An emoji, as hexadecimal code points joined by hyphens, such as `1f389`.'),
  }),
  // An unknown property must abort this option: a union reports the problems of the only option that does not abort.
  z.strictObject({}).check(({ issues }) => {
    issues.splice(0, issues.length, ...issues.map((issue) => ({ ...issue, continue: false })));
  }),
]);

export const Announcement = z.object({
  enabled: z.boolean().describe('Whether the announcement is shown.'),
  message: text({ min: 2, max: 128 }).describe('The text of the announcement.'),
  link: ContentLink.optional().describe('A link after the text.'),
  style: z.enum(['info', 'warning', 'danger', 'success']).describe('The style, by urgency.'),
});

const enabled = { enabled: z.boolean().describe('Whether it is enabled.') };

/** The groups of settings that a site space can override. */
export const sharedGroups = {
  internationalization: {
    locale: z
      .enum(['en', 'fr', 'es', 'zh', 'ja', 'de', 'nl', 'no', 'pt-br', 'ru'])
      .describe("The language of the site's user interface."),
  },
  themes: {
    default: z.enum(['light', 'dark']).describe('The mode in which visitors first see the site.'),
    toggeable: z.boolean().describe('Whether visitors can switch between light and dark mode.'),
  },
  pdf: enabled,
  feedback: enabled,
  git: { showEditLink: z.boolean().describe('Whether pages link to their source.') },
  externalLinks: {
    target: z.enum(['self', 'blank']).describe('Whether links open in the same tab or in a new one.'),
  },
  pagination: enabled,
  trademark: enabled,
};

export const styling = {
  theme: z
    .enum(['clean', 'muted', 'bold', 'gradient'])
    .describe('The theme, which decides how prominent the colors are.'),
  primaryColor: ThemedColor.describe('The color of links and buttons.'),
  infoColor: ThemedColor.describe('The color of informational hints.'),
  successColor: ThemedColor.describe('The color of success hints.'),
  warningColor: ThemedColor.describe('The color of warning hints.'),
  dangerColor: ThemedColor.describe('The color of danger hints.'),
  corners: z.enum(['straight', 'rounded', 'circular']).describe('The shape of corners.'),
  depth: z.enum(['subtle', 'flat']).describe('Whether boxes have shadows.'),
  links: z.enum(['default', 'accent']).describe('The style of links.'),
  icons: z.enum(['regular', 'solid', 'duotone', 'light', 'thin']).describe('The style of icons.'),
  search: z.enum(['prominent', 'subtle']).describe('How prominent the search box is.'),
  background: z.enum(['plain', 'match']).describe('Whether the background is tinted.'),
};
export const tint = z
  .object({ color: ThemedColor.describe('The color.') })
  .describe('The color that backgrounds are tinted with.');
export const sidebar = {
  background: z
    .enum(['default', 'filled'])
    .describe('Whether the table of contents has a background of its own.'),
  list: z
    .enum(['default', 'pill', 'line'])
    .describe('How the current page is highlighted in the table of contents.'),
};
export const font = z
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
export const monospaceFont = z
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

export const preset = z
  .enum(['default', 'bold', 'contrast', 'custom', 'none'])
  .describe('The color scheme of the header.');
export const headerLinks = z
  .array(
    z.object({
      title: text({ max: 256 }).describe('The text of the link.'),
      style: z
        .enum(['link', 'button-primary', 'button-secondary'])
        .optional()
        .describe('Whether it is shown as a link or as a button.'),
      to: Target.nullable().describe('The target of the link; null if it only has a menu.'),
      links: Links.describe('The links in the menu below it.'),
      condition: Condition.optional().describe(
        "An expression over the visitor's claims that must be true for it to be shown; null removes it.",
      ),
    }),
  )
  .max(100)
  .describe('The links in the header.');
export const headerStyling = {
  logo: ThemedUrl.describe('The image in the header.'),
  backgroundColor: ThemedColor.describe('The color of the header.'),
  linkColor: ThemedColor.describe('The color of the links in the header.'),
};
export const footerGroups = z
  .array(
    z.object({
      title: text({ max: 256 }).describe('The heading of the links.'),
      links: Links.describe('The links below it.'),
    }),
  )
  .max(100)
  .describe('The columns of links in the footer.');
export const copyright = text({ max: 300 }).describe('The copyright notice.');
export const Title = text({ min: 2, max: 128 });

/** The groups of settings that a site space cannot override. */
export const siteOnlyGroups = {
  ai: { mode: z.enum(['none', 'search', 'assistant']).describe('Which AI features are offered to readers.') },
  advancedCustomization: enabled,
  pageActions: {
    externalAI: z.boolean().describe('Whether pages can be opened in external AI assistants.'),
    markdown: z.boolean().describe('Whether pages can be copied as Markdown.'),
    mcp: z.boolean().describe("Whether the URL of the site's MCP server is offered."),
  },
};
