import { sql } from 'kysely';

/** An SQL expression for whether a section, or a group above it, is a draft; `section` is its alias in the statement. */
// guard: draft-section, draft-group, draft-group-of-groups
const isSectionDraft = (section: string) => sql<boolean>`(
  ${sql.ref(`${section}.draft`)} or exists (
    with recursive above as (
      select parent_id, draft from site_section_group where id = ${sql.ref(`${section}.group_id`)}
      union all
      select parent.parent_id, parent.draft
      from above join site_section_group as parent on parent.id = above.parent_id
    )
    select from above where draft))`;

/** An SQL expression for whether a `site_space` is in no draft, with the `site_section` that it may be in. */
export const isPublishedPlace = sql<boolean>`not (site_space.draft or coalesce(${isSectionDraft('site_section')}, false))`;

/** An SQL expression for the condition under which visitors see a site space: `false` for a draft. */
// guard: draft-site-space
export const siteSpaceCondition = sql<string | null>`
  case when site_space.draft then 'false' else site_space.condition end`;

/** The same for a section. */
export const sectionCondition = (section = 'site_section') => sql<string | null>`
  case when ${isSectionDraft(section)} then 'false' else ${sql.ref(`${section}.condition`)} end`;
