import type { Follower } from './branches/followers.ts';
import { followMovedNodes } from './comments/moved-nodes.operation.ts';
import { followPageConditions } from './conditions/page-conditions.operation.ts';
import { indexNewLinks } from './content/link-index.operation.ts';
import { prepareEmbeds } from './embeds/embeds.operation.ts';
import type { EventFollower } from './events/record.operation.ts';
import { queueDeliveries } from './webhooks/delivery.operation.ts';

/** The followers of every branch, called in this order. */
export const followers: readonly Follower[] = [
  indexNewLinks,
  prepareEmbeds,
  followPageConditions,
  followMovedNodes,
];

/** The followers of events, called in this order. */
export const eventFollowers: readonly EventFollower[] = [queueDeliveries];
