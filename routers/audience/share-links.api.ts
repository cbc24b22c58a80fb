import { z } from 'zod';
import type { ShareLink } from '../../schema/entities/share-link.ts';
import type { Presentable } from '../../schema/rows.ts';
import { publishedUrl, type SiteAddress } from '../addresses/published.ts';
import { isoTime } from '../base/common-schemas.ts';
import type { Urls } from '../base/ports.ts';

/** The public object of a share link; its URL ends in its key. */
export const ShareLinkObject = z
  .object({
    object: z.literal('share-link'),
    id: z.string(),
    createdAt: z.string(),
    name: z.string().optional(),
    active: z.boolean(),
    urls: z.object({ published: z.string() }),
  })
  .meta({ id: 'ShareLink' });

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
