import { Migration } from '@mikro-orm/migrations';

/** Repairs data, not the schema: ends what transfers of content and departures of members had left behind. */
export class Migration20261121212732 extends Migration {

  override name = 'Migration20261121212732';

  override up(): void | Promise<void> {
    this.addSql(`delete from requested_reviewer
      using change_request, space
      where change_request.id = requested_reviewer.change_request_id and space.id = change_request.space_id
        and not exists (
          select from member
          where member.organization_id = space.organization_id and member.user_id = requested_reviewer.user_id);`);
    for (const [table, organization] of [['space', 'space.organization_id'], ['organization', 'organization.id']]) {
      this.addSql(`update ${table}
        set merge_rules = jsonb_set(merge_rules, '{rules}', (
          select coalesce(jsonb_agg(left_over order by place), '[]')
          from jsonb_array_elements(merge_rules -> 'rules') with ordinality as given (rule, place),
            lateral (select case rule ->> 'rule'
              when 'allow_bypass' then jsonb_set(rule, '{users}', coalesce((
                select jsonb_agg(named)
                from jsonb_array_elements_text(rule -> 'users') as named
                where exists (
                  select from member where member.organization_id = ${organization} and member.user_id = named)), '[]'))
              else rule
            end) as emptied (left_over)
          where left_over -> 'users' is distinct from '[]'))
        where merge_rules @> '{"rules": [{"rule": "allow_bypass"}]}';`);
    }
  }

  override down(): void | Promise<void> {}

}
