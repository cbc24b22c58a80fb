import { optimisticSpaceAccess, spaceAccess, spaceProcedure } from '../access/procedures.ts';
import { mount } from '../base/mount.ts';
import { authenticatedProcedure, router } from '../base/trpc.ts';
import {
  commentDeletions,
  commentLists,
  commentRead,
  commentWrites,
  replyRead,
} from './comments.handlers.ts';
import { commentReadingProcedure, replyReadingProcedure } from './comments.procedures.ts';
import { route } from './route.ts';

const writingProcedure = authenticatedProcedure.concat(optimisticSpaceAccess('comment'));

export const commentsRouter = router({
  ...mount(spaceProcedure('view'), commentLists, {
    list: route.get('/spaces/{spaceId}/comments', 'List the comments on a space', 'listCommentsInSpace', {
      description: 'Comments on its change requests are not included.',
    }),
    listReplies: route.get(
      '/spaces/{spaceId}/comments/{commentId}/replies',
      'List the replies to a comment on a space',
      'listCommentRepliesInSpace',
      { description: 'Newest first.' },
    ),
    listCommenters: route.get(
      '/spaces/{spaceId}/commenters',
      'List the commenters of a space',
      'listCommentersInSpace',
      { description: 'Lists the members who posted comments or replies. Guests see only themselves.' },
    ),
  }),
  ...mount(commentReadingProcedure.concat(spaceAccess('view')), commentRead, {
    get: route.get(
      '/spaces/{spaceId}/comments/{commentId}',
      'Get a comment on a space',
      'getCommentInSpace',
      { description: 'Returns the comment with its reactions and the number of its replies.' },
    ),
  }),
  ...mount(replyReadingProcedure.concat(spaceAccess('view')), replyRead, {
    getReply: route.get(
      '/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}',
      'Get a reply to a comment on a space',
      'getCommentReplyInSpace',
      { description: 'Returns the reply with its reactions.' },
    ),
  }),
  ...mount(writingProcedure, commentWrites, {
    post: route.post('/spaces/{spaceId}/comments', 'Comment on a space', 'postCommentInSpace', {
      description: 'A comment is about the whole space, or about a page, a block or a table cell in it.',
    }),
    update: route.put(
      '/spaces/{spaceId}/comments/{commentId}',
      'Update a comment on a space, or react to it',
      'updateCommentInSpace',
      {
        description:
          'Only the author may change the text. Resolving a comment of somebody else requires `review`.',
      },
    ),
    reply: route.post(
      '/spaces/{spaceId}/comments/{commentId}/replies',
      'Reply to a comment on a space',
      'postCommentReplyInSpace',
      { description: 'The replies to a comment form one thread: replies have no replies of their own.' },
    ),
    updateReply: route.put(
      '/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}',
      'Update a reply to a comment on a space, or react to it',
      'updateCommentReplyInSpace',
      { description: 'Only the author may change the text; anyone who may comment may react.' },
    ),
  }),
  ...mount(spaceProcedure('comment'), commentDeletions, {
    delete: route.delete(
      '/spaces/{spaceId}/comments/{commentId}',
      'Delete a comment on a space with its replies',
      'deleteCommentInSpace',
      { description: 'Requires `admin` unless the caller posted it.' },
    ),
    deleteReply: route.delete(
      '/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}',
      'Delete a reply to a comment on a space',
      'deleteCommentReplyInSpace',
      { description: 'Requires `admin` unless the caller posted it.' },
    ),
  }),
});
