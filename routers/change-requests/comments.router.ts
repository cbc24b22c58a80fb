import { mount } from '../base/mount.ts';
import { router } from '../base/trpc.ts';
import {
  commentDeletions,
  commentLists,
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
      { description: 'Lists the newest comment first by default.' },
    ),
    listReplies: route.get(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies',
      'List the replies to a comment on a change request',
      'listCommentRepliesInChangeRequest',
      { description: 'Lists the newest reply first.' },
    ),
    listCommenters: route.get(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/commenters',
      'List the commenters of a change request',
      'listCommentersInChangeRequest',
      { description: 'Lists the members who posted comments or replies. Guests see only themselves.' },
    ),
  }),
  ...mount(commentReadingProcedure.concat(changeRequestAccess('view')), commentRead, {
    get: route.get(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}',
      'Get a comment on a change request',
      'getCommentInChangeRequest',
      { description: 'Returns the comment with its reactions and the number of its replies.' },
    ),
  }),
  ...mount(replyReadingProcedure.concat(changeRequestAccess('view')), replyRead, {
    getReply: route.get(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}',
      'Get a reply to a comment on a change request',
      'getCommentReplyInChangeRequest',
      { description: 'Returns the reply with its reactions.' },
    ),
  }),
  ...mount(optimisticChangeRequestProcedure('comment'), commentWrites, {
    post: route.post(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/comments',
      'Comment on a change request',
      'postCommentInChangeRequest',
      {
        description:
          'The comment may be on the whole change request, or on a page, a block or a table cell in it.',
      },
    ),
    update: route.put(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}',
      'Update a comment on a change request, or react to it',
      'updateCommentInChangeRequest',
      {
        description:
          'Only the author may change the text. Resolving a comment of somebody else requires `review`.',
      },
    ),
    reply: route.post(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies',
      'Reply to a comment on a change request',
      'postCommentReplyInChangeRequest',
      { description: 'All replies to a comment form one thread; replies have no replies of their own.' },
    ),
    updateReply: route.put(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}',
      'Update a reply to a comment on a change request, or react to it',
      'updateCommentReplyInChangeRequest',
      { description: 'Only its author may change the text; anyone who may comment may react to it.' },
    ),
  }),
  ...mount(changeRequestProcedure('comment'), commentDeletions, {
    delete: route.delete(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}',
      'Delete a comment on a change request with its replies',
      'deleteCommentInChangeRequest',
      { description: 'Requires `admin` unless the caller posted it.' },
    ),
    deleteReply: route.delete(
      '/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}',
      'Delete a reply to a comment on a change request',
      'deleteCommentReplyInChangeRequest',
      { description: 'Requires `admin` unless the caller posted it.' },
    ),
  }),
});
