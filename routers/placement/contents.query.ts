import { sql } from 'kysely';
import type { Siblings } from './siblings.operation.ts';

/** A parent of spaces and collections: a collection, or the root of the organization if `parent` is null. */
export interface Place {
  organization: string;
  parent: string | null;
}

/** The siblings in one place: its collections, and its spaces except deleted ones. */
export function contentsOf({ organization, parent }: Place): Siblings {
  const inParent = parent === null ? sql`parent_id is null` : sql`parent_id = ${parent}`;
  const inPlace = sql`organization_id = ${organization} and ${inParent}`;
  return { space: sql`${inPlace} and deleted_at is null`, collection: inPlace };
}
