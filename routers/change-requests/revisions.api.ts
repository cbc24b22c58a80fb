import { RevisionObject } from '../content/revisions.api.ts';
import { ChangeRequestObject } from './change-requests.api.ts';

/** A revision in responses: one of type `merge` includes its change request. */
export const RevisionWithOriginObject = RevisionObject.extend({
  mergedFrom: ChangeRequestObject.optional().describe('The change request whose merge made the revision.'),
}).meta({ id: 'Revision', description: 'The whole content of a space at one time; it never changes.' });
