import { secondFactorStep } from './auth/second-factor.operation.ts';
import type { BranchHook, EventHook, ObjectHook } from './base/hooks.ts';
import type { SignInStep } from './base/sign-in-ports.ts';
import { movedNodesHook } from './comments/moved-nodes.operation.ts';
import { pageConditionsHook } from './conditions/page-conditions.operation.ts';
import { indexNewLinks } from './content/link-index.operation.ts';
import { earlierSlugsHook } from './earlier-paths/earlier-slugs.operation.ts';
import { prefetchEmbeds } from './embeds/embeds.operation.ts';
import { queueIndexing } from './search/index-spaces.operation.ts';
import { queueTranslations } from './translations/translations.operation.ts';
import { queueDeliveries } from './webhooks/delivery.operation.ts';

/** The hooks that are called, in this order, when the content of a branch changes. */
// guard: page-conditions-hook, comment-moved-nodes-hook, earlier-slugs-hook
export const branchHooks: readonly BranchHook[] = [pageConditionsHook, movedNodesHook, earlierSlugsHook];

/** The hooks that are called, in this order, for new content objects. */
export const objectHooks: readonly ObjectHook[] = [indexNewLinks, prefetchEmbeds];

/** The hooks that are called, in this order, for the events of a transaction. */
export const eventHooks: readonly EventHook[] = [queueIndexing, queueTranslations, queueDeliveries];

/** The steps that may be required, in this order, between authentication and a session. */
export const signInSteps: readonly SignInStep[] = [secondFactorStep];
