import { mount } from '../base/mount.ts';
import { router } from '../base/trpc.ts';
import {
  commentLists,
  commentPosting,
  commentRead,
  commentWrites,
  replyRead,
} from '../comments/comments.handlers.ts';
import { commentReadingProcedure, replyReadingProcedure } from '../comments/comments.procedures.ts';
import {
  changeRequestAccess,
  changeRequestProcedure,
  optimisticChangeRequestProcedure,
} from './change-requests.procedures.ts';
import { commentsRoute as route } from './route.ts';

export const changeRequestCommentsRouter = router({
  ...mount(changeRequestProcedure('view'), commentLists, {
    list: route.get(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/comments',
      'List the comments on a change request',
      'listCommentsInChangeRequest',
    ),
    listReplies: route.get(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies',
      'List the replies to a comment on a change request',
      'listCommentRepliesInChangeRequest',
    ),
    listCommenters: route.get(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/commenters',
      'List the commenters of a change request',
      'listCommentersInChangeRequest',
      { description: 'The members who posted comments or replies. Guests see only themselves.' },
    ),
  }),
  ...mount(commentReadingProcedure.concat(changeRequestAccess('view')), commentRead, {
    get: route.get(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}',
      'Get a comment on a change request',
      'getCommentInChangeRequest',
    ),
  }),
  ...mount(replyReadingProcedure.concat(changeRequestAccess('view')), replyRead, {
    getReply: route.get(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}',
      'Get a reply to a comment on a change request',
      'getCommentReplyInChangeRequest',
    ),
  }),
  ...mount(optimisticChangeRequestProcedure('comment'), commentPosting, {
    post: route.post(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/comments',
      'Comment on a change request',
      'postCommentInChangeRequest',
    ),
  }),
  ...mount(changeRequestProcedure('comment'), commentWrites, {
    update: route.put(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}',
      'Update a comment on a change request, or react to it',
      'updateCommentInChangeRequest',
    ),
    remove: route.delete(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}',
      'Delete a comment on a change request with its replies',
      'deleteCommentInChangeRequest',
      { description: 'Needs `admin` unless the caller posted it.' },
    ),
    reply: route.post(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies',
      'Reply to a comment on a change request',
      'postCommentReplyInChangeRequest',
    ),
    updateReply: route.put(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}',
      'Update a reply to a comment on a change request, or react to it',
      'updateCommentReplyInChangeRequest',
    ),
    removeReply: route.delete(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}',
      'Delete a reply to a comment on a change request',
      'deleteCommentReplyInChangeRequest',
      { description: 'Needs `admin` unless the caller posted it.' },
    ),
  }),
});
