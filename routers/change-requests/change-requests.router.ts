import { sql } from 'kysely';
import { z } from 'zod';
import { optimisticSpaceAccess, organizationProcedure, spaceProcedure } from '../access/procedures.ts';
import { viewable } from '../access/visible.query.ts';
import { kyselyOf } from '../base/db.ts';
import { authenticatedProcedure, router } from '../base/trpc.ts';
import { readTemplate, TemplateInput } from '../content/templates.query.ts';
import { visibleUserColumns } from '../people/users.query.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { transact } from '../sql/transact.ts';
import { ChangeRequestObject, presentChangeRequest } from './change-requests.api.ts';
import { changeStatus, requireCluster, updateFields } from './change-requests.operation.ts';
import { changeRequestProcedure, optimisticChangeRequestProcedure } from './change-requests.procedures.ts';
import { listChangeRequests, listInput } from './change-requests.query.ts';
import { ContributorObject, presentContributor } from './contributors.api.ts';
import { lockChangeRequest } from './lock.operation.ts';
import { proposeChanges } from './propose.operation.ts';
import { route } from './route.ts';
import { DescriptionInput, readDescription, Subject } from './texts.ts';

const ClusterInput = z.string().describe('The id of the cluster of issues that it addresses.');

/** The statuses that callers can set; only a merge sets `merged`. */
const SETTABLE_STATUSES = ['draft', 'open', 'archived'] as const;

export const changeRequestsRouter = router({
  create: authenticatedProcedure
    .input(
      z.object({
        spaceId: z.string().describe('The id of the space.'),
        template: TemplateInput.optional().describe('A template whose pages are added to its content.'),
        subject: Subject.default('').describe('What the change request is about, in a line.'),
        conversationsIssuesCluster: ClusterInput.optional().describe(
          'The id of the cluster of issues that it addresses.',
        ),
      }),
    )
    .concat(optimisticSpaceAccess('edit'))
    .meta(
      route.post('/spaces/{spaceId}/change-requests', 'Create a change request', 'createChangeRequest', {
        success: 201,
        description: 'It starts as a draft with the current content of the space.',
      }),
    )
    .output(ChangeRequestObject)
    .mutation(async ({ ctx, input: { subject, template, conversationsIssuesCluster: id } }) => {
      const { db, services, engine, actor, viewer, space, load } = ctx;
      const changes = template ? await readTemplate(db, services, engine, space, template) : [];
      const cluster = id === undefined ? undefined : { organization: space.organization, id };
      const proposal = { subject, cluster, changes, files: new Map(), author: actor.user.id };
      const { changeRequest, spaceRevision } = await proposeChanges(ctx, space.id, load, proposal);
      return presentChangeRequest(changeRequest, { createdBy: actor.user, spaceRevision, viewer });
    }),

  get: changeRequestProcedure('view')
    .meta(
      route.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}',
        'Get a change request',
        'getChangeRequestById',
        { description: 'Finds it by its id, or by its number within the space.' },
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

  update: optimisticChangeRequestProcedure('edit')
    .meta(
      route.patch(
        '/spaces/{spaceId}/change-requests/{changeRequestId}',
        'Update a change request',
        'updateChangeRequestById',
        {
          description:
            'Changes only the fields that are sent; a merged change request can no longer be changed.',
        },
      ),
    )
    .input(
      z.object({
        subject: Subject.optional().describe('What the change request is about, in a line.'),
        description: DescriptionInput.nullable()
          .optional()
          .describe('What the change request is about, at length; null removes it.'),
        status: z
          .enum(SETTABLE_STATUSES)
          .optional()
          .describe('The new status; only merging makes it `merged`.'),
        conversationsIssuesCluster: ClusterInput.nullable()
          .optional()
          .describe('The id of the cluster of issues that it addresses; null for none.'),
      }),
    )
    .output(ChangeRequestObject)
    .mutation(async ({ ctx, input: { description: given, status, ...fields } }) => {
      const { createdBy, viewer } = ctx;
      const { conversationsIssuesCluster } = fields;
      const description = given && (await readDescription(ctx.engine, given));
      return transact(ctx, async (em) => {
        const db = kyselyOf(em);
        if (conversationsIssuesCluster != null)
          await requireCluster(db, { organization: ctx.space.organization, id: conversationsIssuesCluster });
        const locked = await lockChangeRequest(em, ctx.changeRequest);
        await ctx.load(db);
        const { space, changeRequest } = locked;
        updateFields(em, changeRequest, { ...fields, description });
        if (status !== undefined) await changeStatus(em, locked, status);
        await em.flush();
        const view = { createdBy, spaceRevision: space.revision, viewer };
        return presentChangeRequest(changeRequest, view);
      });
    }),

  listInSpace: spaceProcedure('view')
    .meta(
      route.get(
        '/spaces/{spaceId}/change-requests',
        'List the change requests of a space',
        'listChangeRequestsForSpace',
        { description: 'Lists the newest first, and only open ones by default.' },
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
        { description: 'Lists only those of spaces that the caller may view.' },
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
        { description: 'Lists the users who edited its content, the latest to join first.' },
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
      return readPage(ctx, input, {
        rows: listed
          .select(visibleUserColumns('contributor', 'user', sql.val(space.organization)))
          .select([
            'contributor.user_id as userId',
            'contributor.count',
            'contributor.updated_at as editedAt',
            'contributor.created_at as since',
          ]),
        order: [
          { column: 'contributor.created_at', direction: 'desc', of: (row) => String(row.since) },
          { column: 'contributor.user_id', direction: 'desc', of: (row) => row.userId },
        ],
        present: (row) => presentContributor(row, viewer),
      });
    }),
});
