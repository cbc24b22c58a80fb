import { sql } from 'kysely';

/** An SQL expression for the condition under which visitors see a site space: `false` for a draft. */
// guard: draft-site-space
export const siteSpaceCondition = sql<string | null>`
  case when site_space.draft then 'false' else site_space.condition end`;

/** The same for a section, which is also a draft if a group above it is; `section` is its alias in the statement. */
// guard: draft-section, draft-group, draft-group-of-groups
export const sectionCondition = (section = 'site_section') => sql<string | null>`
  case
    when ${sql.ref(`${section}.draft`)} or exists (
      with recursive above as (
        select parent_id, draft from site_section_group where id = ${sql.ref(`${section}.group_id`)}
        union all
        select parent.parent_id, parent.draft
        from above join site_section_group as parent on parent.id = above.parent_id
      )
      select from above where draft)
    then 'false'
    else ${sql.ref(`${section}.condition`)}
  end`;
