/** What each setting of a site may be. Those that belong together are grouped as the API groups them. */

import { z } from 'zod';
import { HttpUrl } from '../../../schema/json/http-url.ts';
import { text } from '../../../schema/json/text.ts';
import { ContentRef } from '../../engine/document/document.ts';
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
  .refine((given) => parseEmoji(given) !== undefined, { error: 'must be one emoji', abort: true })
  .overwrite((given) => emojiCodePoints(parseEmoji(given) ?? ''));

export const Favicon = z.union([
  z.object({ icon: ThemedUrl.describe('The image shown by browsers.') }),
  z.object({
    emoji: EmojiCode.describe('An emoji: hexadecimal code points joined by hyphens, such as `1f389`.'),
  }),
  z.strictObject({}),
]);

export const Announcement = z.object({
  enabled: z.boolean().describe('Whether the announcement is shown.'),
  message: text({ min: 2, max: 128 }).describe('The text of the announcement.'),
  link: ContentLink.optional().describe('A link behind it.'),
  style: z.enum(['info', 'warning', 'danger', 'success']).describe('How urgent it looks.'),
});

const enabled = { enabled: z.boolean().describe('Whether it is on.') };

/** The groups of settings in which a site space may differ from its site, by their fields. */
export const sharedGroups = {
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

export const styling = {
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
export const tint = z
  .object({ color: ThemedColor.describe('The color.') })
  .describe('The color that backgrounds are tinted with.');
export const sidebar = {
  background: z
    .enum(['default', 'filled'])
    .describe('Whether the table of contents has a background of its own.'),
  list: z
    .enum(['default', 'pill', 'line'])
    .describe('How the present page is marked in the table of contents.'),
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
  .describe('How the header is colored.');
export const headerLinks = z
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
export const headerLooks = {
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
  .describe('The columns of links.');
export const copyright = text({ max: 300 }).describe('The line about copyright.');
export const Title = text({ min: 2, max: 128 });

/** Groups of settings in which a site space cannot differ from its site. */
export const siteOnlyGroups = {
  ai: { mode: z.enum(['none', 'search', 'assistant']).describe('What readers are offered.') },
  advancedCustomization: enabled,
  pageActions: {
    externalAI: z.boolean().describe('Whether pages can be opened in assistants elsewhere.'),
    markdown: z.boolean().describe('Whether pages can be copied as Markdown.'),
    mcp: z.boolean().describe("Whether the address of the site's MCP server is offered."),
  },
};
