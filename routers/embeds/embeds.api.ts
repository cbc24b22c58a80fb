import { z } from 'zod';
import type { Embed } from '../../schema/entities/embed.ts';
import type { Presentable } from '../../schema/rows.ts';

const common = {
  title: z.string().describe('The title of the page at the URL.'),
  site: z.string().describe('The name of its site.'),
  icon: z.string().optional().describe('The URL of its icon.'),
};

/** The public object of an embedded URL, which is shown as a link, or as HTML that shows its content. */
export const EmbedObject = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('link').describe('Shown as a link.'), ...common }),
    z.object({
      type: z.literal('rich').describe('Shown as a frame with its content.'),
      ...common,
      html: z.string().describe('The HTML of the frame, of one of the providers that are known to be safe.'),
    }),
  ])
  .meta({ id: 'Embed', description: 'A URL that is embedded in a page, and what to show for it.' });

/** Presents a URL by its stored description; if there is none, or it is not fetched yet, by the URL alone. */
export function presentEmbed(
  url: string,
  known: Presentable<Embed> | undefined,
): z.infer<typeof EmbedObject> {
  const parsed = URL.parse(url);
  const site = known?.site ?? parsed?.hostname ?? '';
  const title = known?.title ?? (parsed ? titleOf(parsed) : url);
  const icon = known?.icon ?? undefined;
  return known?.html
    ? { type: 'rich', title, site, icon, html: known.html }
    : { type: 'link', title, site, icon };
}

const titleOf = ({ host, pathname }: URL): string => `${host}${pathname}`.replace(/\/$/, '');
