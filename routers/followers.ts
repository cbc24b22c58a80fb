import type { Follower } from './branches/followers.ts';
import { indexNewLinks } from './links/link-index.operation.ts';

/** What follows the content of every branch, in this order. */
export const followers: readonly Follower[] = [indexNewLinks];
