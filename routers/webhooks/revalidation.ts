import { createHmac } from 'node:crypto';
import { changeRequestTag, siteTag, spaceTag, specTag } from '../base/cache-tags.ts';
import type { EventObject } from '../events/events.api.ts';

/** The body sent to a renderer of sites: the tags of the cached responses that it must drop. */
export const revalidationBody = (tags: Iterable<string>): string =>
  JSON.stringify({ tags: [...new Set(tags)] });

/** The header by which a renderer verifies the body, with the secret that it shares with the webhook. */
export const revalidationHeaders = (body: string, secret: string): Record<string, string> => ({
  'x-gitbook-signature': createHmac('sha256', secret).update(body).digest('hex'),
});

/** Events that have no visible effect on sites. */
const UNPUBLISHED_EVENTS =
  /^(?:comment|review|collection|member|team|organization)\.|\.(?:permission\.updated|moved|processed)$/;

/** The space whose published content an event changes, if any: proposals in a change request are not published. */
export const changedSpace = (event: EventObject): string | undefined => {
  if (UNPUBLISHED_EVENTS.test(event.type) || !('space' in event)) return undefined;
  return 'changeRequest' in event && event.type !== 'change_request.merged' ? undefined : event.space;
};

/** The objects that an event refers to. */
interface EventScope extends Pick<EventObject, 'type'> {
  space?: string | undefined;
  changeRequest?: string | undefined;
  site?: string | undefined;
}

/** The cache tags of the responses that an event changes. `sitesOf` has the sites that show each space. */
export function tagsOf(event: EventObject, sitesOf: ReadonlyMap<string, readonly string[]>): string[] {
  if (UNPUBLISHED_EVENTS.test(event.type)) return [];
  const { space, changeRequest, site }: EventScope = event;
  const changed = changedSpace(event);
  return [
    ...(changed === undefined ? [] : [spaceTag(changed), ...(sitesOf.get(changed) ?? []).map(siteTag)]),
    ...(space !== undefined && changeRequest !== undefined ? [changeRequestTag(space, changeRequest)] : []),
    ...(site === undefined ? [] : [siteTag(site)]),
    ...('slug' in event && event.slug !== undefined ? [specTag(event.organization, event.slug)] : []),
  ];
}
