import { secondFactorStep } from './auth/second-factor.operation.ts';
import type { BranchHook, EventHook, ObjectHook } from './base/hooks.ts';
import type { SignInStep } from './base/sign-in-ports.ts';
import { movedNodesHook } from './comments/moved-nodes.operation.ts';
import { pageConditionsHook } from './conditions/page-conditions.operation.ts';
import { indexNewLinks } from './content/link-index.operation.ts';
import { prepareEmbeds } from './embeds/embeds.operation.ts';
import { queueIndexing } from './search/index-spaces.operation.ts';
import { queueTranslations } from './translations/translations.operation.ts';
import { queueDeliveries } from './webhooks/delivery.operation.ts';

/** The hooks of every branch, called in this order. */
export const branchHooks: readonly BranchHook[] = [pageConditionsHook, movedNodesHook];

/** The hooks of new objects, called in this order. */
export const objectHooks: readonly ObjectHook[] = [indexNewLinks, prepareEmbeds];

/** The hooks of events, called in this order. */
export const eventHooks: readonly EventHook[] = [queueIndexing, queueTranslations, queueDeliveries];

/** What may stand between proving who one is and a session, in this order. */
export const signInSteps: readonly SignInStep[] = [secondFactorStep];
