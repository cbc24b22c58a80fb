import { spaceProcedure } from '../access/procedures.ts';
import { ChangeRequestObject, presentChangeRequest } from '../change-requests/change-requests.api.ts';
import { changeRequestProcedure } from '../change-requests/change-requests.procedures.ts';
import { EDIT_BODY_LIMIT, editOutput } from '../engine/edit/changes.ts';
import { route } from '../route.ts';
import { presentSpace, SpaceObject } from '../spaces/spaces.api.ts';
import { router } from '../trpc.ts';
import { viewOf } from './content.handlers.ts';
import { editChangeRequest, editSpace } from './edit.operation.ts';
import { editProcedure } from './edit.procedures.ts';
import { reportOf } from './edit.query.ts';

export const editRouter = router({
  space: editProcedure
    .concat(spaceProcedure('edit'))
    .meta(
      route('POST /spaces/{spaceId}/content', 'Space content', "Edit a space's content directly", {
        operationId: 'updateSpaceContent',
        bodyLimit: EDIT_BODY_LIMIT,
        description: 'For spaces whose edit mode is live.',
      }),
    )
    .output(SpaceObject.extend(editOutput))
    .mutation(async ({ ctx, input: { changes, compat, spaceId } }) => {
      const { em, engine, viewer, actor, files, level } = ctx;
      const edited = await editSpace(em, spaceId, { changes, files, engine, author: actor.user.id });
      return {
        ...presentSpace(edited.space, level, viewer),
        ...(!compat && { changes: await reportOf(edited, viewOf(ctx, { metadata: true })) }),
      };
    }),

  changeRequest: editProcedure
    .concat(changeRequestProcedure('edit'))
    .meta(
      route(
        'POST /spaces/{spaceId}/change-requests/{changeRequestId}/content',
        'Change request content',
        "Edit a change request's content",
        { operationId: 'updateChangeRequestContent', bodyLimit: EDIT_BODY_LIMIT },
      ),
    )
    .output(ChangeRequestObject.extend(editOutput))
    .mutation(async ({ ctx, input: { changes, compat } }) => {
      const { em, engine, viewer, actor, files, createdBy } = ctx;
      const edit = { changes, files, engine, author: actor.user.id };
      const { id, space } = ctx.changeRequest;
      const edited = await editChangeRequest(em, { id, space, content: ctx.revision }, edit);
      const view = { createdBy, spaceRevision: ctx.space.revision, viewer };
      return {
        ...presentChangeRequest(edited.changeRequest, view),
        ...(!compat && { changes: await reportOf(edited, viewOf(ctx, { metadata: true })) }),
      };
    }),
});
