import { z } from 'zod';
import { declaredPermission, requiredPermission } from '../access/needs.ts';
import { requireOrganization, requireParent } from '../access/require.ts';
import { viewerOf } from '../access/viewer.ts';
import { authenticatedProcedure, inTransaction } from '../base/trpc.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { contentsOf } from './contents.query.ts';
import { positionAtEnd } from './siblings.operation.ts';

/**
 * A procedure that creates a collection or space: `ctx.parent` is the collection to create it in, or null, and
 * `ctx.position` is at its end. Placement in the organization is locked until the end of the transaction.
 * 404 for those who may not view the organization or the parent, 403 for those who may not create content there.
 */
export const creationProcedure = authenticatedProcedure
  .meta({ need: requiredPermission('parent', 'create') })
  .input(
    z.object({
      organizationId: z.string().describe('The id of the organization.'),
      parent: z
        .string()
        .optional()
        .describe('The id of the collection to create it in; by default, the root of the organization.'),
    }),
  )
  .use((call) =>
    inTransaction(call, async ({ em, db }) => {
      const { ctx, input, meta, next } = call;
      const { organization, member } = await requireOrganization(
        db,
        ctx.actor,
        input.organizationId,
        requiredPermission('organization', 'view'),
      );
      await lockOrganizations(db, organization.id);
      const need = declaredPermission(meta, 'parent');
      const parent = await requireParent(db, ctx.actor, organization.id, input.parent ?? null, need);
      const position = await positionAtEnd(
        db,
        contentsOf({ organization: organization.id, parent: parent?.id ?? null }),
      );
      return next({ ctx: { em, db, organization, parent, position, viewer: viewerOf(ctx, member) } });
    }),
  );
