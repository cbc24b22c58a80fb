import { router } from '../base/trpc.ts';
import { editOutput, presentEdit } from '../content/edit.api.ts';
import { editProcedure } from '../content/edit.procedures.ts';
import { readAffectedRecords } from '../content/edit.query.ts';
import { storeFiles } from '../content/files.operation.ts';
import { viewOf } from '../content/readable-content.query.ts';
import { EDIT_BODY_LIMIT } from '../engine/edit/changes.ts';
import { ChangeRequestObject, presentChangeRequest } from './change-requests.api.ts';
import { optimisticChangeRequestAccess } from './change-requests.procedures.ts';
import { editChangeRequest } from './edit.operation.ts';
import { contentRoute } from './route.ts';

export const changeRequestEditRouter = router({
  changeRequest: editProcedure
    .concat(optimisticChangeRequestAccess('edit'))
    .meta(
      contentRoute.post(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/content',
        "Edit a change request's content",
        'updateChangeRequestContent',
        {
          description:
            'Applies up to 50 changes in order, as one new revision. If one is refused, none is applied.',
          bodyLimit: EDIT_BODY_LIMIT,
        },
      ),
    )
    .output(ChangeRequestObject.extend(editOutput))
    .mutation(async ({ ctx, input: { changes, compat } }) => {
      const { viewer, actor, services, createdBy, load, changeRequest } = ctx;
      const files = await storeFiles(services, changeRequest.space, changes);
      const edit = { changes, files, author: actor.user.id };
      const edited = await editChangeRequest(ctx, changeRequest, load, edit);
      const view = { createdBy, spaceRevision: edited.spaceRevision, viewer };
      return {
        ...presentChangeRequest(edited.changeRequest, view),
        ...(!compat && {
          changes: presentEdit(await readAffectedRecords(edited), viewOf(ctx, { metadata: true })),
        }),
      };
    }),
});
