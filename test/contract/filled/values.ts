import type { World } from '../world.ts';

/** A string literal in SQL. */
export const literal = (value: string | undefined): string => `'${String(value).replaceAll("'", "''")}'`;

/** The SQL of a row's id, from its number and a letter for its table; greater than all ids in the world. */
export const id = (letter: string, number = 'i'): string =>
  `'z${letter}' || lpad((${number})::text, 18, '0')`;

/** The SQL of a parent id: one row in ten belongs to the world, the others to many other objects. */
export const own = (ours: string, theirs: string, rest = 0): string =>
  `case when i % 10 = ${rest} then ${ours} else ${theirs} end`;

type Columns = Record<string, string>;

/** A table, the SQL of its columns for the row of number `i`, and how many rows it gets unless it is the usual number. */
export type FilledTable = [table: string, columns: Columns, rows?: number];

/** The SQL of values that several tables have. */
export function valuesOf({ ids, owner }: World) {
  const organization = literal(ids.organizationId);
  const inOrganization = own(organization, id('o', 'i % 1000'));
  const [space, user, caller] = [literal(ids.spaceId), literal(ids.userId), literal(owner.id)];
  const [site, team, collection] = [literal(ids.siteId), literal(ids.teamId), literal(ids.collectionId)];
  const revision = literal(ids.revisionId);
  const request = literal(ids.changeRequestId);
  const anyUser = id('u');
  const rareUser = (every: number) => `case when i % ${every} in (0, 1) then ${user} else ${anyUser} end`;
  const at = "now() - interval '1 day' - i * interval '1 second'";
  const created = { created_at: at };
  const changed = { ...created, updated_at: at };
  // In the collection of the world, with values of maximum length.
  const position = "rpad('V' || lpad(i::text, 8, '0'), case when i % 100 = 0 then 200 else 10 end, '1')";
  const place = { organization_id: inOrganization, title: "'Number ' || i", position, ...changed };
  return {
    ids,
    organization,
    inOrganization,
    space,
    user,
    caller,
    site,
    team,
    collection,
    revision,
    request,
    anyUser,
    rareUser,
    at,
    created,
    changed,
    position,
    place,
  };
}

export type Values = ReturnType<typeof valuesOf>;
