import { type CallerLevel, COMMENT_NEEDS, permissionsOf } from '../access/needs.ts';
import { DomainError } from '../engine/errors.ts';

/**
 * The permissions of a caller on a comment or reply, from their level on its space. They are shown on it, except `resolve`,
 * and enforced by {@link requireCommentPermission}. Only authors may edit.
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
 * Requires a permission on a comment of a caller who may comment on the space.
 * @throws DomainError `forbidden` if the caller may not do this to comments of others
 */
export function requireCommentPermission(
  action: keyof typeof REFUSALS,
  caller: CallerLevel,
  isOwn: boolean,
): void {
  if (!commentPermissions(caller, isOwn)[action]) throw new DomainError('forbidden', REFUSALS[action]);
}
