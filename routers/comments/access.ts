import { type CallerLevel, COMMENT_NEEDS, permissionsOf } from '../access/needs.ts';
import { DomainError } from '../engine/errors.ts';

/**
 * What a caller may do with a comment or reply, by their caller on its space: shown on it, but for `resolve`, and
 * enforced by {@link requireCommentPermission}. Only authors edit.
 */
export const commentPermissions = (caller: CallerLevel, isOwn: boolean) =>
  isOwn
    ? permissionsOf(COMMENT_NEEDS.own, caller)
    : // guard: comment-edit-authors
      { edit: false, ...permissionsOf(COMMENT_NEEDS.others, caller) };

const REFUSALS = {
  edit: 'Only its author can edit this.',
  delete: 'You need "admin" on this space to delete what others wrote.',
  resolve: 'You need "review" on this space to resolve or reopen the comments of others.',
};

/**
 * For callers who may comment on the space.
 * @throws DomainError `forbidden` if the comment is not theirs and they may not do this with those of others
 */
export function requireCommentPermission(
  action: keyof typeof REFUSALS,
  caller: CallerLevel,
  isOwn: boolean,
): void {
  if (!commentPermissions(caller, isOwn)[action]) throw new DomainError('forbidden', REFUSALS[action]);
}
