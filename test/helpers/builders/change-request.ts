import { ChangeRequest } from '../../../schema/entities/change-request.ts';
import { Space } from '../../../schema/entities/space.ts';
import type { ChangeRequestStatus } from '../../../schema/enums.ts';
import type { DatabaseHandle } from '../../../server/database/database.ts';

interface ChangeRequestOptions {
  /** The id of a user. */
  createdBy: string;
  status?: ChangeRequestStatus;
  subject?: string;
}

/** A change request without edits of its own. */
export const buildChangeRequest = (
  database: DatabaseHandle,
  spaceId: string,
  { createdBy, status = 'draft', subject = 'Changes' }: ChangeRequestOptions,
): Promise<{ id: string; number: number }> =>
  database.transaction(async (em) => {
    const space = await em.findOneOrFail(Space, spaceId);
    const { revision } = space;
    const number = ++space.changeRequests;
    if (status === 'open') space.changeRequestsOpen++;
    if (status === 'draft') space.changeRequestsDraft++;
    const changeRequest = em.create(ChangeRequest, {
      space: spaceId,
      organization: space.organization,
      number,
      status,
      subject,
      createdBy,
      revision,
      revisionInitial: revision,
    });
    await em.flush();
    return { id: changeRequest.id, number };
  });
