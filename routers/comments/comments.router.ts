import { optimisticSpaceAccess, spaceAccess, spaceProcedure } from '../access/procedures.ts';
import { mount } from '../base/mount.ts';
import { authenticatedProcedure, router } from '../base/trpc.ts';
import { commentLists, commentPosting, commentRead, commentWrites, replyRead } from './comments.handlers.ts';
import { commentReadingProcedure, replyReadingProcedure } from './comments.procedures.ts';
import { route } from './route.ts';

const postProcedure = authenticatedProcedure.concat(optimisticSpaceAccess('comment'));

export const commentsRouter = router({
  ...mount(spaceProcedure('view'), commentLists, {
    list: route.get('/spaces/{spaceId}/comments', 'List the comments on a space', 'listCommentsInSpace', {
      description: 'Without those on its change requests.',
    }),
    listReplies: route.get(
      '/spaces/{spaceId}/comments/{commentId}/replies',
      'List the replies to a comment on a space',
      'listCommentRepliesInSpace',
    ),
    listCommenters: route.get(
      '/spaces/{spaceId}/commenters',
      'List the commenters of a space',
      'listCommentersInSpace',
      { description: 'The members who posted comments or replies. Guests see only themselves.' },
    ),
  }),
  ...mount(commentReadingProcedure.concat(spaceAccess('view')), commentRead, {
    get: route.get('/spaces/{spaceId}/comments/{commentId}', 'Get a comment on a space', 'getCommentInSpace'),
  }),
  ...mount(replyReadingProcedure.concat(spaceAccess('view')), replyRead, {
    getReply: route.get(
      '/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}',
      'Get a reply to a comment on a space',
      'getCommentReplyInSpace',
    ),
  }),
  ...mount(postProcedure, commentPosting, {
    post: route.post('/spaces/{spaceId}/comments', 'Comment on a space', 'postCommentInSpace'),
  }),
  ...mount(spaceProcedure('comment'), commentWrites, {
    update: route.put(
      '/spaces/{spaceId}/comments/{commentId}',
      'Update a comment on a space, or react to it',
      'updateCommentInSpace',
    ),
    remove: route.delete(
      '/spaces/{spaceId}/comments/{commentId}',
      'Delete a comment on a space with its replies',
      'deleteCommentInSpace',
      { description: 'Needs `admin` unless the caller posted it.' },
    ),
    reply: route.post(
      '/spaces/{spaceId}/comments/{commentId}/replies',
      'Reply to a comment on a space',
      'postCommentReplyInSpace',
    ),
    updateReply: route.put(
      '/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}',
      'Update a reply to a comment on a space, or react to it',
      'updateCommentReplyInSpace',
    ),
    removeReply: route.delete(
      '/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}',
      'Delete a reply to a comment on a space',
      'deleteCommentReplyInSpace',
      { description: 'Needs `admin` unless the caller posted it.' },
    ),
  }),
});
