import { sql } from 'kysely';
import { z } from 'zod';
import { organizationProcedure, spaceAccess, spaceProcedure } from '../access/procedures.ts';
import { viewable } from '../access/visible.query.ts';
import { lockSpace } from '../branches/lock.operation.ts';
import { templateProcedure } from '../content/templates.procedures.ts';
import { listOf, paging, readPage } from '../pagination.ts';
import { shownUser } from '../people/users.query.ts';
import { router } from '../trpc.ts';
import { ChangeRequestObject, presentChangeRequest } from './change-requests.api.ts';
import { changeStatus, createChangeRequest, describeChangeRequest } from './change-requests.operation.ts';
import { changeRequestProcedure } from './change-requests.procedures.ts';
import { listChangeRequests, listInput } from './change-requests.query.ts';
import { route } from './chapter.ts';
import { ContributorObject, presentContributor } from './contributors.api.ts';
import { editChangeRequest } from './edit.operation.ts';
import { lockChangeRequest } from './locked.operation.ts';
import { DescriptionInput, Subject } from './texts.ts';

/** The statuses that callers can set; only a merge sets `merged`. */
const SETTABLE_STATUSES = ['draft', 'open', 'archived'] as const;

export const changeRequestsRouter = router({
  create: templateProcedure
    .concat(spaceAccess('edit'))
    .meta(
      route.post('/spaces/{spaceId}/change-requests', 'Create a change request', 'createChangeRequest', {
        success: 201,
        description: 'It starts as a draft of the current content of the space.',
      }),
    )
    .input(z.object({ subject: Subject.default('') }))
    .output(ChangeRequestObject)
    .mutation(async ({ ctx, input: { subject } }) => {
      const { em, actor, viewer, template } = ctx;
      const space = await lockSpace(em, ctx.space.id);
      const changeRequest = createChangeRequest(em, space, { subject, createdBy: actor.user.id });
      await em.flush();
      if (template.length > 0) {
        const edit = { changes: template, files: new Map(), author: actor.user.id };
        await editChangeRequest(ctx, changeRequest, edit);
      }
      const view = { createdBy: actor.user, spaceRevision: space.revision, viewer };
      return presentChangeRequest(changeRequest, view);
    }),

  get: changeRequestProcedure('view')
    .meta(
      route.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}',
        'Get a change request',
        'getChangeRequestById',
        { description: 'By id, or by number within the space.' },
      ),
    )
    .output(ChangeRequestObject)
    .query(({ ctx: { changeRequest, createdBy, space, viewer } }) =>
      presentChangeRequest(changeRequest, {
        createdBy,
        spaceRevision: space.revision,
        viewer,
      }),
    ),

  update: changeRequestProcedure('edit')
    .meta(
      route.patch(
        '/spaces/{spaceId}/change-requests/{changeRequestId}',
        'Update a change request',
        'updateChangeRequestById',
      ),
    )
    .input(
      z.object({
        subject: Subject.optional(),
        description: DescriptionInput.nullable().optional().describe('Null removes it.'),
        status: z.enum(SETTABLE_STATUSES).optional(),
      }),
    )
    .output(ChangeRequestObject)
    .mutation(async ({ ctx, input: { subject, description, status } }) => {
      const { em, createdBy, viewer } = ctx;
      const locked = await lockChangeRequest(em, ctx.changeRequest);
      const { space, changeRequest } = locked;
      describeChangeRequest(em, changeRequest, { subject, description });
      if (status !== undefined) changeStatus(em, locked, status);
      await em.flush();
      const view = { createdBy, spaceRevision: space.revision, viewer };
      return presentChangeRequest(changeRequest, view);
    }),

  listInSpace: spaceProcedure('view')
    .meta(
      route.get(
        '/spaces/{spaceId}/change-requests',
        'List the change requests of a space',
        'listChangeRequestsForSpace',
      ),
    )
    .input(listInput)
    .output(listOf(ChangeRequestObject))
    .query(({ ctx, input }) => {
      const { organization, id: space } = ctx.space;
      return listChangeRequests(ctx, { organization, space, viewable: sql<boolean>`true` }, input);
    }),

  listInOrganization: organizationProcedure('view')
    .meta(
      route.get(
        '/orgs/{organizationId}/change-requests',
        'List the change requests of an organization',
        'listChangeRequestsForOrganization',
        { description: 'Only those of spaces that the caller may view.' },
      ),
    )
    .input(listInput)
    .output(listOf(ChangeRequestObject))
    .query(({ ctx, input }) => {
      const { organization, member, grants } = ctx;
      const within = {
        organization: organization.id,
        viewable: viewable('space', member, [...grants.keys()]),
      };
      return listChangeRequests(ctx, within, input);
    }),

  contributors: changeRequestProcedure('view')
    .meta(
      route.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/contributors',
        'List the contributors of a change request',
        'getContributorsByChangeRequestId',
      ),
    )
    .input(z.object(paging))
    .output(listOf(ContributorObject))
    .query(async ({ ctx, input }) => {
      const { db, viewer, space, changeRequest } = ctx;
      const listed = db
        .selectFrom('change_request_contributor as contributor')
        .innerJoin('user', 'user.id', 'contributor.user_id')
        .where('contributor.change_request_id', '=', changeRequest.id);
      const page = await readPage(ctx, input, {
        rows: listed
          .select(shownUser('contributor', 'user', sql.val(space.organization)))
          .select([
            'contributor.user_id as userId',
            'contributor.count',
            'contributor.updated_at as editedAt',
            'contributor.created_at as since',
          ]),
        count: listed.select((eb) => eb.fn.countAll().as('count')),
        order: [
          { column: 'contributor.created_at', direction: 'desc', of: (row) => String(row.since) },
          { column: 'contributor.user_id', direction: 'desc', of: (row) => row.userId },
        ],
      });
      return { ...page, items: page.items.map((row) => presentContributor(row, viewer)) };
    }),
});
