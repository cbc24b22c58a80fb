import { sql } from 'kysely';
import type { Siblings } from './siblings.operation.ts';

/** Where spaces and collections lie: in a collection, or at the root of the organization where `parent` is null. */
export interface Place {
  organization: string;
  parent: string | null;
}

/** What is arranged in one place: its spaces, but for deleted ones, and its collections. */
export function contentsOf({ organization, parent }: Place): Siblings {
  const inParent = parent === null ? sql`parent_id is null` : sql`parent_id = ${parent}`;
  const inPlace = sql`organization_id = ${organization} and ${inParent}`;
  return { space: sql`${inPlace} and deleted_at is null`, collection: inPlace };
}
