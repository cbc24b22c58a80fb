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
      { description: 'The newest reply comes first.' },
    ),
    listCommenters: route.get(
      '/spaces/{spaceId}/commenters',
      'List the commenters of a space',
      'listCommentersInSpace',
      { description: 'The members who posted comments or replies. Guests see only themselves.' },
    ),
  }),
  ...mount(commentReadingProcedure.concat(spaceAccess('view')), commentRead, {
    get: route.get(
      '/spaces/{spaceId}/comments/{commentId}',
      'Get a comment on a space',
      'getCommentInSpace',
      { description: 'Gives the comment with its reactions and the number of its replies.' },
    ),
  }),
  ...mount(replyReadingProcedure.concat(spaceAccess('view')), replyRead, {
    getReply: route.get(
      '/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}',
      'Get a reply to a comment on a space',
      'getCommentReplyInSpace',
      { description: 'Gives the reply with its reactions.' },
    ),
  }),
  ...mount(postProcedure, commentPosting, {
    post: route.post('/spaces/{spaceId}/comments', 'Comment on a space', 'postCommentInSpace', {
      description: 'The comment is on the whole space, or on a page, a block or a cell of a table in it.',
    }),
  }),
  ...mount(spaceProcedure('comment'), commentWrites, {
    update: route.put(
      '/spaces/{spaceId}/comments/{commentId}',
      'Update a comment on a space, or react to it',
      'updateCommentInSpace',
      { description: 'Only its author may change the text; whoever may comment may react and resolve.' },
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
      { description: 'Replies to one comment are in one thread; replies have no replies.' },
    ),
    updateReply: route.put(
      '/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}',
      'Update a reply to a comment on a space, or react to it',
      'updateCommentReplyInSpace',
      { description: 'Only its author may change the text; whoever may comment may react.' },
    ),
    removeReply: route.delete(
      '/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}',
      'Delete a reply to a comment on a space',
      'deleteCommentReplyInSpace',
      { description: 'Needs `admin` unless the caller posted it.' },
    ),
  }),
});
