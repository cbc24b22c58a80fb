import { type RawBuilder, sql } from 'kysely';
import { specTarget } from '../engine/links/document-links.ts';

/**
 * The start of a statement about the pages and reusable contents of some revisions: `record` has their values. It walks the
 * maps in the database: OpenAPI specs are seldom deleted, and an index of all references would have to be updated with every
 * edit. The fields are defined in `store/records.ts` and `store/map-nodes.ts`.
 * @param branches a query of ids of spaces and of their revisions
 */
export const withRecords = (branches: RawBuilder<unknown>) => sql`
  with recursive branch (space, revision) as (${branches}), node (space, kind, hash) as (
    select branch.space, map.kind, root.body ->> map.name
    from branch
      join revision on revision.id = branch.revision
      join content_object root on root.hash = revision.root
      cross join (values ('page', 'pages'), ('reusable-content', 'reusableContents')) map (kind, name)
    union
    select node.space, node.kind, item ->> 1
    from node
      join content_object on content_object.hash = node.hash
      cross join lateral json_array_elements(body -> 'items') item
    where body ->> 'level' <> '0'
  ), record as (
    select node.space, node.kind, item -> 1 as value
    from node
      join content_object on content_object.hash = node.hash
      cross join lateral json_array_elements(body -> 'items') item
    where body ->> 'level' = '0'
  )`;

/** A condition on `value`, the record of a page or reusable content: it refers to an OpenAPI spec by one of these names. */
export const refersToSpec = (names: readonly string[]) => sql<boolean>`(
  value ->> 'document' in (select document from document_link where target = any(${names.map(specTarget)}))
  or (value #>> '{target,kind}' = 'openapi' and split_part(value #>> '{target,spec}', '@', 1) = any(${names}))
  or (value #>> '{computed,dependencies,spec,ref,kind}' = 'openapi'
    and split_part(value #>> '{computed,dependencies,spec,ref,spec}', '@', 1) = any(${names})))`;
