import { createHmac } from 'node:crypto';
import { changeRequestTag, siteTag, spaceTag, specTag } from '../base/cache-tags.ts';
import type { EventObject } from '../events/events.api.ts';

/** What a renderer of sites is told: the tags of the responses that it must not keep. */
export const revalidationOf = (tags: Iterable<string>): string =>
  JSON.stringify({ tags: [...new Set(tags)] });

/** The header by which a renderer verifies it, with the same secret as its own. */
export const revalidationHeaders = (body: string, secret: string): Record<string, string> => ({
  'x-gitbook-signature': createHmac('sha256', secret).update(body).digest('hex'),
});

/** Events that no reader of a site sees anything of. */
const UNSEEN =
  /^(?:comment|review|collection|member|team|organization)\.|\.(?:permission\.updated|moved|processed)$/;

/** The space whose published content an event is about, if it is about one: what a change request proposes is not published. */
export const changedSpace = (event: EventObject): string | undefined => {
  if (UNSEEN.test(event.type) || !('space' in event)) return undefined;
  return 'changeRequest' in event && event.type !== 'change_request.merged' ? undefined : event.space;
};

/** Where an event has happened. */
interface Places extends Pick<EventObject, 'type'> {
  space?: string | undefined;
  changeRequest?: string | undefined;
  site?: string | undefined;
}

/** The tags of what has changed with an event. `sitesOf` are the sites that show a space. */
export function tagsOf(event: EventObject, sitesOf: ReadonlyMap<string, readonly string[]>): string[] {
  if (UNSEEN.test(event.type)) return [];
  const { space, changeRequest, site }: Places = event;
  const changed = changedSpace(event);
  return [
    ...(changed === undefined ? [] : [spaceTag(changed), ...(sitesOf.get(changed) ?? []).map(siteTag)]),
    ...(space !== undefined && changeRequest !== undefined ? [changeRequestTag(space, changeRequest)] : []),
    ...(site === undefined ? [] : [siteTag(site)]),
    ...('slug' in event && event.slug !== undefined ? [specTag(event.organization, event.slug)] : []),
  ];
}
