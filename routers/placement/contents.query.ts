import { sql } from 'kysely';
import type { Siblings } from './siblings.operation.ts';

/** Where spaces and collections are: in a collection, or at the root of the organization if `parent` is null. */
export interface ContentLocation {
  organization: string;
  parent: string | null;
}

/** The contents of a location: its collections, and its spaces except deleted ones. */
export function contentsOf({ organization, parent }: ContentLocation): Siblings {
  const inParent = parent === null ? sql`parent_id is null` : sql`parent_id = ${parent}`;
  const isHere = sql`organization_id = ${organization} and ${inParent}`;
  return { space: sql`${isHere} and deleted_at is null`, collection: isHere };
}
