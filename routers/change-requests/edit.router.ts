import { viewOf } from '../content/content.handlers.ts';
import { editOutput, presentEdit } from '../content/edit.api.ts';
import { editProcedure } from '../content/edit.procedures.ts';
import { readEdited } from '../content/edit.query.ts';
import { EDIT_BODY_LIMIT } from '../engine/edit/changes.ts';
import { router } from '../trpc.ts';
import { ChangeRequestObject, presentChangeRequest } from './change-requests.api.ts';
import { changeRequestAccess } from './change-requests.procedures.ts';
import { contentRoute } from './chapter.ts';
import { editChangeRequest } from './edit.operation.ts';

export const changeRequestEditRouter = router({
  changeRequest: editProcedure
    .concat(changeRequestAccess('edit'))
    .meta(
      contentRoute.post(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/content',
        "Edit a change request's content",
        'updateChangeRequestContent',
        { bodyLimit: EDIT_BODY_LIMIT },
      ),
    )
    .output(ChangeRequestObject.extend(editOutput))
    .mutation(async ({ ctx, input: { changes, compat } }) => {
      const { viewer, actor, files, createdBy } = ctx;
      const edit = { changes, files, author: actor.user.id };
      const { id, space } = ctx.changeRequest;
      const edited = await editChangeRequest(ctx, { id, space, content: ctx.revision }, edit);
      const view = { createdBy, spaceRevision: ctx.space.revision, viewer };
      return {
        ...presentChangeRequest(edited.changeRequest, view),
        ...(!compat && { changes: presentEdit(await readEdited(edited), viewOf(ctx, { metadata: true })) }),
      };
    }),
});
