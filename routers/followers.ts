import { secondFactorStep } from './auth/second-factor.operation.ts';
import type { SignInStep } from './auth/sign-in.operation.ts';
import type { Follower, ObjectFollower } from './branches/followers.ts';
import { movedNodesFollower } from './comments/moved-nodes.operation.ts';
import { pageConditionsFollower } from './conditions/page-conditions.operation.ts';
import { indexNewLinks } from './content/link-index.operation.ts';
import { prepareEmbeds } from './embeds/embeds.operation.ts';
import type { EventFollower } from './events/record.operation.ts';
import { queueIndexing } from './search/index-spaces.operation.ts';
import { queueTranslations } from './translations/translations.operation.ts';
import { queueDeliveries } from './webhooks/delivery.operation.ts';

/** The followers of every branch, called in this order. */
export const followers: readonly Follower[] = [pageConditionsFollower, movedNodesFollower];

/** The followers of new objects, called in this order. */
export const objectFollowers: readonly ObjectFollower[] = [indexNewLinks, prepareEmbeds];

/** The followers of events, called in this order. */
export const eventFollowers: readonly EventFollower[] = [queueIndexing, queueTranslations, queueDeliveries];

/** What may stand between proving who one is and a session, in this order. */
export const signInSteps: readonly SignInStep[] = [secondFactorStep];
