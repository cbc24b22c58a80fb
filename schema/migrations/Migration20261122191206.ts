import { Migration } from '@mikro-orm/migrations';

export class Migration20261122191206 extends Migration {

  override name = 'Migration20261122191206';

  override up(): void | Promise<void> {
    this.addSql(`create index "event_type" on "event" ("organization_id", "type", "number");`);

    this.addSql(`create index "site_list_published" on "site" ("organization_id", "published", "id");`);
    this.addSql(`create index "site_list_type" on "site" ("organization_id", "type", "id");`);

    this.addSql(`drop index "custom_hostname_organization_id_index";`);
    this.addSql(`create index "custom_hostname_list" on "custom_hostname" ("organization_id", "hostname");`);

    this.addSql(`drop index "team_member_user_id_index";`);
    this.addSql(`create index "team_member_user" on "team_member" ("user_id", "team_id");`);

    this.addSql(`drop index "member_user_id_index";`);
    this.addSql(`create index "member_of" on "member" ("user_id", "organization_id");`);
    this.addSql(`create index "member_role" on "member" ("organization_id", "role", "joined_at", "user_id");`);

    this.addSql(`drop index "change_request_created_by_id_index";`);
    this.addSql(`alter table "change_request" add "organization_id" text collate "C" null;`);
    this.addSql(`update change_request set organization_id = space.organization_id from space where space.id = space_id;`);
    this.addSql(`alter table "change_request" alter column "organization_id" set not null;`);
    this.addSql(`alter table "change_request" add constraint "change_request_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`create index "change_request_organization" on "change_request" ("organization_id", "status", "id");`);
    this.addSql(`create index "change_request_organization_all" on "change_request" ("organization_id", "id");`);
    this.addSql(`create index "change_request_creator" on "change_request" ("created_by_id", "organization_id", "id");`);
    this.addSql(`create index "change_request_cluster" on "change_request" ("organization_id", "conversations_issues_cluster", "id") where "conversations_issues_cluster" is not null;`);

    this.addSql(`drop index "requested_reviewer_user_id_index";`);
    this.addSql(`create index "requested_reviewer_list" on "requested_reviewer" ("change_request_id", "created_at", "user_id");`);
    this.addSql(`create index "requested_reviewer_user" on "requested_reviewer" ("user_id", "change_request_id");`);

    this.addSql(`create index "comment_in_change_request_status" on "comment" ("change_request_id", "status", "id") where "change_request_id" is not null and "parent_id" is null;`);
    this.addSql(`create index "comment_in_change_request_on_page" on "comment" ("change_request_id", "page", "id") where "page" is not null and "change_request_id" is not null and "parent_id" is null;`);

    this.addSql(`drop index "change_request_contributor_user_id_index";`);
    this.addSql(`create index "change_request_contributor_list" on "change_request_contributor" ("change_request_id", "created_at", "user_id");`);
    this.addSql(`create index "change_request_contributor_user" on "change_request_contributor" ("user_id", "change_request_id");`);

    this.addSql(`drop index "api_token_user_id_index";`);
    this.addSql(`create index "api_token_list" on "api_token" ("user_id", "id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "change_request" drop constraint "change_request_organization_id_foreign";`);

    this.addSql(`drop index "api_token_list";`);
    this.addSql(`create index "api_token_user_id_index" on "api_token" ("user_id");`);

    this.addSql(`drop index "change_request_organization";`);
    this.addSql(`drop index "change_request_organization_all";`);
    this.addSql(`drop index "change_request_creator";`);
    this.addSql(`drop index "change_request_cluster";`);
    this.addSql(`alter table "change_request" drop column "organization_id";`);
    this.addSql(`create index "change_request_created_by_id_index" on "change_request" ("created_by_id");`);

    this.addSql(`drop index "change_request_contributor_list";`);
    this.addSql(`drop index "change_request_contributor_user";`);
    this.addSql(`create index "change_request_contributor_user_id_index" on "change_request_contributor" ("user_id");`);

    this.addSql(`drop index "comment_in_change_request_status";`);
    this.addSql(`drop index "comment_in_change_request_on_page";`);

    this.addSql(`drop index "custom_hostname_list";`);
    this.addSql(`create index "custom_hostname_organization_id_index" on "custom_hostname" ("organization_id");`);

    this.addSql(`drop index "event_type";`);

    this.addSql(`drop index "member_of";`);
    this.addSql(`drop index "member_role";`);
    this.addSql(`create index "member_user_id_index" on "member" ("user_id");`);

    this.addSql(`drop index "requested_reviewer_list";`);
    this.addSql(`drop index "requested_reviewer_user";`);
    this.addSql(`create index "requested_reviewer_user_id_index" on "requested_reviewer" ("user_id");`);

    this.addSql(`drop index "site_list_published";`);
    this.addSql(`drop index "site_list_type";`);

    this.addSql(`drop index "team_member_user";`);
    this.addSql(`create index "team_member_user_id_index" on "team_member" ("user_id");`);
  }

}
