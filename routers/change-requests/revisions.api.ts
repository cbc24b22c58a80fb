import { RevisionObject } from '../content/revisions.api.ts';
import { ChangeRequestObject } from './change-requests.api.ts';

/** A revision as it is answered: one of type `merge` has the change request in it. */
export const RevisionWithOriginObject = RevisionObject.extend({
  mergedFrom: ChangeRequestObject.optional(),
}).meta({ id: 'Revision' });
