import { z } from 'zod';
import type { ShareLink } from '../../schema/entities/share-link.ts';
import type { Presentable } from '../../schema/rows.ts';
import { publishedUrl, type SiteAddress } from '../addresses/published.ts';
import { isoTime } from '../base/common-schemas.ts';
import type { Urls } from '../base/ports.ts';

/** The public object of a share link; its URL ends in its key. */
export const ShareLinkObject = z
  .object({
    object: z.literal('share-link').describe('The type of the object: always `share-link`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    name: z.string().optional().describe('A name to recognize it by.'),
    active: z.boolean().describe('Whether the link opens the site.'),
    urls: z
      .object({
        published: z
          .string()
          .describe(
            'The URL of the site, which ends in the key; it works while the site is published and the link is active.',
          ),
      })
      .describe('The URLs of the object.'),
  })
  .meta({ id: 'ShareLink', description: 'A secret URL of a site.' });

export const presentShareLink = (
  link: Presentable<ShareLink>,
  site: SiteAddress,
  urls: Urls,
): z.infer<typeof ShareLinkObject> => ({
  object: 'share-link',
  id: link.id,
  createdAt: isoTime(link.createdAt),
  name: link.name ?? undefined,
  active: link.active,
  urls: { published: publishedUrl(urls, site, { shareKey: link.key }) },
});
