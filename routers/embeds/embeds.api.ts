import { z } from 'zod';
import type { Embed } from '../../schema/entities/embed.ts';
import type { Presentable } from '../../schema/rows.ts';

const common = {
  title: z.string().describe('The title that the address gives itself.'),
  site: z.string().describe('The name of the site that the address belongs to.'),
  icon: z.string().optional().describe('The URL of the icon of the address.'),
};

/** How an embedded address is shown: as a link, or as HTML that shows its content. */
export const EmbedObject = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('link').describe('How the embed is shown.'), ...common }),
    z.object({
      type: z.literal('rich').describe('How the embed is shown.'),
      ...common,
      html: z.string().describe('A frame of one of the providers that are known to be safe.'),
    }),
  ])
  .meta({ id: 'Embed', description: 'What is known of an address that is shown in a page.' });

/** `known` is what is stored of the address; without it, or before it was fetched, the address speaks for itself. */
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
