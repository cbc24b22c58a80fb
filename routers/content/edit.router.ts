import { optimisticSpaceAccess } from '../access/procedures.ts';
import { router } from '../base/trpc.ts';
import { EDIT_BODY_LIMIT } from '../engine/edit/changes.ts';
import { presentSpace, SpaceObject } from '../spaces/spaces.api.ts';
import { editOutput, presentEdit } from './edit.api.ts';
import { editSpace } from './edit.operation.ts';
import { editProcedure } from './edit.procedures.ts';
import { readAffectedRecords } from './edit.query.ts';
import { storeFiles } from './files.operation.ts';
import { viewOf } from './readable-content.query.ts';
import { route } from './route.ts';

export const editRouter = router({
  space: editProcedure
    .concat(optimisticSpaceAccess('edit'))
    .meta(
      route.post('/spaces/{spaceId}/content', "Edit a space's content directly", 'updateSpaceContent', {
        bodyLimit: EDIT_BODY_LIMIT,
        description:
          'Applies the changes in order, as one new revision. Works only for spaces whose edit mode is `live`.',
      }),
    )
    .output(SpaceObject.extend(editOutput))
    .mutation(async ({ ctx, input: { changes, compat, spaceId } }) => {
      const { viewer, actor, services, load, level } = ctx;
      const files = await storeFiles(services, spaceId, changes);
      const edited = await editSpace(ctx, load, spaceId, { changes, files, author: actor.user.id });
      return {
        ...presentSpace(edited.space, level, viewer, ctx.space.published),
        ...(!compat && {
          changes: presentEdit(await readAffectedRecords(edited), viewOf(ctx, { metadata: true })),
        }),
      };
    }),
});
