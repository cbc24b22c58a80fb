import { Migration } from '@mikro-orm/migrations';

export class Migration20261121140716 extends Migration {

  override name = 'Migration20261121140716';

  override up(): void | Promise<void> {
    this.addSql(`create table "content_object" ("hash" text collate "C" not null, "kind" text not null, "body" json not null, "created_at" timestamptz(3) not null, primary key ("hash"));`);

    this.addSql(`create table "document_link" ("document" text collate "C" not null, "ordinal" int not null, "target" text null, "ref" jsonb null, "block" text null, "anchors" text[] null, primary key ("document", "ordinal"));`);
    this.addSql(`create index "document_link_target" on "document_link" ("target", "document");`);

    this.addSql(`create table "organization" ("id" text collate "C" not null, "title" text not null, "email_domains" text[] not null default '{}', "hostname" text null, "type" text not null default 'business', "use_case" text null, "community_type" text null, "default_role" text null, "default_content" jsonb null, "logo" text null, "sso" boolean not null default false, "ai" boolean not null default false, "invite_links" boolean not null default true, "merge_rules" jsonb not null, "created_at" timestamptz(3) not null, primary key ("id"));`);

    this.addSql(`create table "collection" ("id" text collate "C" not null, "organization_id" text collate "C" not null, "parent_id" text collate "C" null, "title" text not null, "description" text null, "default_level" text null, "effective_default" text null, "ancestors" text[] not null default '{}', "position" text collate "C" not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "collection_parent_id_index" on "collection" ("parent_id");`);
    this.addSql(`create index "collection_order" on "collection" ("organization_id", "parent_id", "position", "id");`);
    this.addSql(`create index "collection_root" on "collection" ("organization_id", "position", "id") where "parent_id" is null;`);
    this.addSql(`create index "collection_list" on "collection" ("organization_id", "id");`);
    this.addSql(`create index collection_ancestors on collection using gin (ancestors);`);

    this.addSql(`create table "setting" ("key" text not null, "value" text not null, primary key ("key"));`);

    this.addSql(`create table "team" ("id" text collate "C" not null, "organization_id" text collate "C" not null, "title" text not null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "team_list" on "team" ("organization_id", "id");`);

    this.addSql(`create table "user" ("id" text collate "C" not null, "display_name" text not null, "email" text not null, "email_verified_at" timestamptz(3) null, "photo_url" text null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`alter table "user" add constraint "user_email_unique" unique ("email");`);

    this.addSql(`create table "team_member" ("team_id" text collate "C" not null, "user_id" text collate "C" not null, "role" text not null, "created_at" timestamptz(3) not null, primary key ("team_id", "user_id"));`);
    this.addSql(`create index "team_member_user_id_index" on "team_member" ("user_id");`);
    this.addSql(`create index "team_member_list" on "team_member" ("team_id", "created_at", "user_id");`);

    this.addSql(`create table "revision" ("id" text collate "C" not null, "space_id" text collate "C" not null, "parents" text[] not null default '{}', "root" text collate "C" not null, "type" text not null, "author_id" text collate "C" null, "git" jsonb null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "revision_author_id_index" on "revision" ("author_id");`);
    this.addSql(`create index "revision_list" on "revision" ("space_id", "id");`);

    this.addSql(`create table "space" ("id" text collate "C" not null, "organization_id" text collate "C" not null, "parent_id" text collate "C" null, "title" text not null, "emoji" text not null, "icon" text null, "visibility" text not null, "edit_mode" text not null default 'live', "language" text null, "merge_rules" jsonb not null, "default_level" text null, "effective_default" text null, "ancestors" text[] not null default '{}', "position" text collate "C" not null, "revision_id" text collate "C" not null, "comments" int not null default 0, "change_requests" int not null default 0, "change_requests_open" int not null default 0, "change_requests_draft" int not null default 0, "deleted_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "space_parent_id_index" on "space" ("parent_id");`);
    this.addSql(`create index "space_revision_id_index" on "space" ("revision_id");`);
    this.addSql(`create index "space_order" on "space" ("organization_id", "parent_id", "position", "id") where "deleted_at" is null;`);
    this.addSql(`create index "space_root" on "space" ("organization_id", "position", "id") where "parent_id" is null and "deleted_at" is null;`);
    this.addSql(`create index "space_list" on "space" ("organization_id", "id") where "deleted_at" is null;`);
    this.addSql(`create index "space_deleted" on "space" ("deleted_at") where "deleted_at" is not null;`);
    this.addSql(`create index space_ancestors on space using gin (ancestors);`);

    this.addSql(`create table "permission" ("id" text collate "C" not null, "organization_id" text collate "C" not null, "user_id" text collate "C" null, "team_id" text collate "C" null, "collection_id" text collate "C" null, "space_id" text collate "C" null, "role" text not null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "permission_of_user" on "permission" ("organization_id", "user_id") where "user_id" is not null;`);
    this.addSql(`create index "permission_of_team" on "permission" ("team_id") where "team_id" is not null;`);
    this.addSql(`create index "permission_on_collection" on "permission" ("collection_id", "id") where "collection_id" is not null;`);
    this.addSql(`create index "permission_on_space" on "permission" ("space_id", "id") where "space_id" is not null;`);
    this.addSql(`alter table "permission" add constraint "permission_collection_user" unique ("collection_id", "user_id");`);
    this.addSql(`alter table "permission" add constraint "permission_collection_team" unique ("collection_id", "team_id");`);
    this.addSql(`alter table "permission" add constraint "permission_space_user" unique ("space_id", "user_id");`);
    this.addSql(`alter table "permission" add constraint "permission_space_team" unique ("space_id", "team_id");`);

    this.addSql(`create table "member" ("organization_id" text collate "C" not null, "user_id" text collate "C" not null, "role" text null, "disabled" boolean not null default false, "sso" boolean not null default false, "joined_at" timestamptz(3) not null, "last_seen_at" timestamptz(3) null, primary key ("organization_id", "user_id"));`);
    this.addSql(`create index "member_user_id_index" on "member" ("user_id");`);
    this.addSql(`create index "member_joined" on "member" ("organization_id", "joined_at", "user_id");`);
    this.addSql(`create index "member_seen" on "member" ("organization_id", "last_seen_at", "user_id") where "last_seen_at" is not null;`);

    this.addSql(`create table "change_request" ("id" text collate "C" not null, "organization_id" text collate "C" not null, "space_id" text collate "C" not null, "number" int not null, "status" text not null, "subject" text not null, "description" jsonb null, "created_by_id" text collate "C" null, "revision_id" text collate "C" not null, "revision_initial_id" text collate "C" not null, "revision_merged_ancestor_id" text collate "C" null, "revision_merged_id" text collate "C" null, "comments" int not null default 0, "conversations_issues_cluster" text null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "change_request_created_by_id_index" on "change_request" ("created_by_id");`);
    this.addSql(`create index "change_request_revision_id_index" on "change_request" ("revision_id");`);
    this.addSql(`create index "change_request_revision_initial_id_index" on "change_request" ("revision_initial_id");`);
    this.addSql(`create index "change_request_revision_merged_ancestor_id_index" on "change_request" ("revision_merged_ancestor_id");`);
    this.addSql(`create index "change_request_revision_merged_id_index" on "change_request" ("revision_merged_id");`);
    this.addSql(`create index "change_request_list" on "change_request" ("space_id", "status", "id");`);
    this.addSql(`create index "change_request_list_all" on "change_request" ("space_id", "id");`);
    this.addSql(`create index "change_request_organization" on "change_request" ("organization_id", "status", "id");`);
    this.addSql(`create index "change_request_organization_all" on "change_request" ("organization_id", "id");`);
    this.addSql(`alter table "change_request" add constraint "change_request_number" unique ("space_id", "number");`);

    this.addSql(`create table "review" ("id" text collate "C" not null, "change_request_id" text collate "C" not null, "reviewer_id" text collate "C" not null, "requested_by_id" text collate "C" null, "status" text not null, "comment" jsonb null, "revision_id" text collate "C" not null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "review_reviewer_id_index" on "review" ("reviewer_id");`);
    this.addSql(`create index "review_requested_by_id_index" on "review" ("requested_by_id");`);
    this.addSql(`create index "review_revision_id_index" on "review" ("revision_id");`);
    this.addSql(`create index "review_list" on "review" ("change_request_id", "id");`);

    this.addSql(`create table "requested_reviewer" ("change_request_id" text collate "C" not null, "user_id" text collate "C" not null, "requested_by_id" text collate "C" null, "revision_id" text collate "C" not null, "created_at" timestamptz(3) not null, primary key ("change_request_id", "user_id"));`);
    this.addSql(`create index "requested_reviewer_user_id_index" on "requested_reviewer" ("user_id");`);
    this.addSql(`create index "requested_reviewer_requested_by_id_index" on "requested_reviewer" ("requested_by_id");`);
    this.addSql(`create index "requested_reviewer_revision_id_index" on "requested_reviewer" ("revision_id");`);

    this.addSql(`create table "conflict" ("change_request_id" text collate "C" not null, "key" text collate "C" not null, "body" jsonb not null, "update_id" text collate "C" not null, "base_id" text collate "C" not null, "created_at" timestamptz(3) not null, primary key ("change_request_id", "key"));`);
    this.addSql(`create index "conflict_update_id_index" on "conflict" ("update_id");`);
    this.addSql(`create index "conflict_base_id_index" on "conflict" ("base_id");`);

    this.addSql(`create table "change_request_contributor" ("change_request_id" text collate "C" not null, "user_id" text collate "C" not null, "count" int not null default 1, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null default now(), primary key ("change_request_id", "user_id"));`);
    this.addSql(`create index "change_request_contributor_user_id_index" on "change_request_contributor" ("user_id");`);

    this.addSql(`create table "api_token" ("id" text collate "C" not null, "user_id" text collate "C" not null, "name" text not null, "hash" text not null, "scope" text not null, "expires_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "api_token_user_id_index" on "api_token" ("user_id");`);
    this.addSql(`alter table "api_token" add constraint "api_token_hash_unique" unique ("hash");`);

    this.addSql(`alter table "content_object" add constraint "content_object_kind_check" check ("kind" in ('document', 'map', 'root'));`);

    this.addSql(`alter table "organization" add constraint "organization_type_check" check ("type" in ('business', 'community'));`);
    this.addSql(`alter table "organization" add constraint "organization_use_case_check" check ("use_case" in ('internalDocs', 'docsSite', 'audienceControlledSite', 'productDocs', 'teamKnowledgeBase', 'designSystem', 'openSourceDocs', 'notes', 'other'));`);
    this.addSql(`alter table "organization" add constraint "organization_community_type_check" check ("community_type" in ('nonProfit', 'openSource', 'education'));`);
    this.addSql(`alter table "organization" add constraint "organization_default_role_check" check ("default_role" in ('admin', 'create', 'review', 'edit', 'comment', 'read'));`);

    this.addSql(`alter table "collection" add constraint "collection_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`alter table "collection" add constraint "collection_parent_id_foreign" foreign key ("parent_id") references "collection" ("id") on delete cascade;`);
    this.addSql(`alter table "collection" add constraint "collection_default_level_check" check ("default_level" in ('admin', 'create', 'review', 'edit', 'comment', 'read', 'inherit'));`);
    this.addSql(`alter table "collection" add constraint "collection_effective_default_check" check ("effective_default" in ('admin', 'create', 'review', 'edit', 'comment', 'read', 'inherit'));`);

    this.addSql(`alter table "team" add constraint "team_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);

    this.addSql(`alter table "team_member" add constraint "team_member_team_id_foreign" foreign key ("team_id") references "team" ("id") on update cascade on delete cascade;`);
    this.addSql(`alter table "team_member" add constraint "team_member_user_id_foreign" foreign key ("user_id") references "user" ("id") on update cascade on delete cascade;`);
    this.addSql(`alter table "team_member" add constraint "team_member_role_check" check ("role" in ('owner', 'member'));`);

    this.addSql(`alter table "revision" add constraint "revision_space_id_foreign" foreign key ("space_id") references "space" ("id") on delete cascade deferrable initially deferred;`);
    this.addSql(`alter table "revision" add constraint "revision_author_id_foreign" foreign key ("author_id") references "user" ("id") on delete set null;`);
    this.addSql(`alter table "revision" add constraint "revision_type_check" check ("type" in ('edits', 'merge', 'update', 'rollback', 'computed'));`);

    this.addSql(`alter table "space" add constraint "space_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`alter table "space" add constraint "space_parent_id_foreign" foreign key ("parent_id") references "collection" ("id") on delete set null;`);
    this.addSql(`alter table "space" add constraint "space_revision_id_foreign" foreign key ("revision_id") references "revision" ("id") deferrable initially deferred;`);
    this.addSql(`alter table "space" add constraint "space_visibility_check" check ("visibility" in ('public', 'unlisted', 'share-link', 'visitor-auth', 'in-collection', 'private'));`);
    this.addSql(`alter table "space" add constraint "space_edit_mode_check" check ("edit_mode" in ('live', 'locked'));`);
    this.addSql(`alter table "space" add constraint "space_language_check" check ("language" in ('en', 'fr', 'de', 'es', 'it', 'pt', 'pt-br', 'ru', 'ja', 'zh', 'yue', 'ko', 'ar', 'hi', 'nl', 'pl', 'tr', 'sv', 'no', 'da', 'fi', 'el', 'cs', 'hu', 'ro', 'th', 'vi', 'id', 'ms', 'he', 'uk', 'sk', 'bg', 'hr', 'lt', 'lv', 'et', 'sl'));`);
    this.addSql(`alter table "space" add constraint "space_default_level_check" check ("default_level" in ('admin', 'create', 'review', 'edit', 'comment', 'read', 'inherit'));`);
    this.addSql(`alter table "space" add constraint "space_effective_default_check" check ("effective_default" in ('admin', 'create', 'review', 'edit', 'comment', 'read', 'inherit'));`);

    this.addSql(`alter table "permission" add constraint "permission_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`alter table "permission" add constraint "permission_user_id_foreign" foreign key ("user_id") references "user" ("id") on delete cascade;`);
    this.addSql(`alter table "permission" add constraint "permission_team_id_foreign" foreign key ("team_id") references "team" ("id") on delete cascade;`);
    this.addSql(`alter table "permission" add constraint "permission_collection_id_foreign" foreign key ("collection_id") references "collection" ("id") on delete cascade;`);
    this.addSql(`alter table "permission" add constraint "permission_space_id_foreign" foreign key ("space_id") references "space" ("id") on delete cascade;`);
    this.addSql(`alter table "permission" add constraint "permission_subject" check (num_nonnulls(user_id, team_id) = 1);`);
    this.addSql(`alter table "permission" add constraint "permission_content" check (num_nonnulls(collection_id, space_id) = 1);`);
    this.addSql(`alter table "permission" add constraint "permission_role_check" check ("role" in ('admin', 'create', 'review', 'edit', 'comment', 'read'));`);

    this.addSql(`alter table "member" add constraint "member_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update cascade on delete cascade;`);
    this.addSql(`alter table "member" add constraint "member_user_id_foreign" foreign key ("user_id") references "user" ("id") on update cascade on delete cascade;`);
    this.addSql(`alter table "member" add constraint "member_role_check" check ("role" in ('admin', 'create', 'review', 'edit', 'comment', 'read'));`);

    this.addSql(`alter table "change_request" add constraint "change_request_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`alter table "change_request" add constraint "change_request_space_id_foreign" foreign key ("space_id") references "space" ("id") on delete cascade;`);
    this.addSql(`alter table "change_request" add constraint "change_request_created_by_id_foreign" foreign key ("created_by_id") references "user" ("id") on delete set null;`);
    this.addSql(`alter table "change_request" add constraint "change_request_revision_id_foreign" foreign key ("revision_id") references "revision" ("id");`);
    this.addSql(`alter table "change_request" add constraint "change_request_revision_initial_id_foreign" foreign key ("revision_initial_id") references "revision" ("id");`);
    this.addSql(`alter table "change_request" add constraint "change_request_revision_merged_ancestor_id_foreign" foreign key ("revision_merged_ancestor_id") references "revision" ("id") on delete set null;`);
    this.addSql(`alter table "change_request" add constraint "change_request_revision_merged_id_foreign" foreign key ("revision_merged_id") references "revision" ("id") on delete set null;`);
    this.addSql(`alter table "change_request" add constraint "change_request_status_check" check ("status" in ('draft', 'open', 'archived', 'merged'));`);

    this.addSql(`alter table "review" add constraint "review_change_request_id_foreign" foreign key ("change_request_id") references "change_request" ("id") on delete cascade;`);
    this.addSql(`alter table "review" add constraint "review_reviewer_id_foreign" foreign key ("reviewer_id") references "user" ("id") on delete cascade;`);
    this.addSql(`alter table "review" add constraint "review_requested_by_id_foreign" foreign key ("requested_by_id") references "user" ("id") on delete set null;`);
    this.addSql(`alter table "review" add constraint "review_revision_id_foreign" foreign key ("revision_id") references "revision" ("id") on delete cascade;`);
    this.addSql(`alter table "review" add constraint "review_status_check" check ("status" in ('approved', 'changes-requested'));`);

    this.addSql(`alter table "requested_reviewer" add constraint "requested_reviewer_change_request_id_foreign" foreign key ("change_request_id") references "change_request" ("id") on update cascade on delete cascade;`);
    this.addSql(`alter table "requested_reviewer" add constraint "requested_reviewer_user_id_foreign" foreign key ("user_id") references "user" ("id") on update cascade on delete cascade;`);
    this.addSql(`alter table "requested_reviewer" add constraint "requested_reviewer_requested_by_id_foreign" foreign key ("requested_by_id") references "user" ("id") on delete set null;`);
    this.addSql(`alter table "requested_reviewer" add constraint "requested_reviewer_revision_id_foreign" foreign key ("revision_id") references "revision" ("id") on delete cascade;`);

    this.addSql(`alter table "conflict" add constraint "conflict_change_request_id_foreign" foreign key ("change_request_id") references "change_request" ("id") on delete cascade;`);
    this.addSql(`alter table "conflict" add constraint "conflict_update_id_foreign" foreign key ("update_id") references "revision" ("id") on delete cascade;`);
    this.addSql(`alter table "conflict" add constraint "conflict_base_id_foreign" foreign key ("base_id") references "revision" ("id") on delete cascade;`);

    this.addSql(`alter table "change_request_contributor" add constraint "change_request_contributor_change_request_id_foreign" foreign key ("change_request_id") references "change_request" ("id") on update cascade on delete cascade;`);
    this.addSql(`alter table "change_request_contributor" add constraint "change_request_contributor_user_id_foreign" foreign key ("user_id") references "user" ("id") on update cascade on delete cascade;`);

    this.addSql(`alter table "api_token" add constraint "api_token_user_id_foreign" foreign key ("user_id") references "user" ("id") on delete cascade;`);
    this.addSql(`alter table "api_token" add constraint "api_token_scope_check" check ("scope" in ('write', 'read'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "collection" drop constraint "collection_organization_id_foreign";`);
    this.addSql(`alter table "team" drop constraint "team_organization_id_foreign";`);
    this.addSql(`alter table "space" drop constraint "space_organization_id_foreign";`);
    this.addSql(`alter table "permission" drop constraint "permission_organization_id_foreign";`);
    this.addSql(`alter table "member" drop constraint "member_organization_id_foreign";`);
    this.addSql(`alter table "change_request" drop constraint "change_request_organization_id_foreign";`);
    this.addSql(`alter table "collection" drop constraint "collection_parent_id_foreign";`);
    this.addSql(`alter table "space" drop constraint "space_parent_id_foreign";`);
    this.addSql(`alter table "permission" drop constraint "permission_collection_id_foreign";`);
    this.addSql(`alter table "team_member" drop constraint "team_member_team_id_foreign";`);
    this.addSql(`alter table "permission" drop constraint "permission_team_id_foreign";`);
    this.addSql(`alter table "team_member" drop constraint "team_member_user_id_foreign";`);
    this.addSql(`alter table "revision" drop constraint "revision_author_id_foreign";`);
    this.addSql(`alter table "permission" drop constraint "permission_user_id_foreign";`);
    this.addSql(`alter table "member" drop constraint "member_user_id_foreign";`);
    this.addSql(`alter table "change_request" drop constraint "change_request_created_by_id_foreign";`);
    this.addSql(`alter table "review" drop constraint "review_reviewer_id_foreign";`);
    this.addSql(`alter table "review" drop constraint "review_requested_by_id_foreign";`);
    this.addSql(`alter table "requested_reviewer" drop constraint "requested_reviewer_user_id_foreign";`);
    this.addSql(`alter table "requested_reviewer" drop constraint "requested_reviewer_requested_by_id_foreign";`);
    this.addSql(`alter table "change_request_contributor" drop constraint "change_request_contributor_user_id_foreign";`);
    this.addSql(`alter table "api_token" drop constraint "api_token_user_id_foreign";`);
    this.addSql(`alter table "space" drop constraint "space_revision_id_foreign";`);
    this.addSql(`alter table "change_request" drop constraint "change_request_revision_id_foreign";`);
    this.addSql(`alter table "change_request" drop constraint "change_request_revision_initial_id_foreign";`);
    this.addSql(`alter table "change_request" drop constraint "change_request_revision_merged_ancestor_id_foreign";`);
    this.addSql(`alter table "change_request" drop constraint "change_request_revision_merged_id_foreign";`);
    this.addSql(`alter table "review" drop constraint "review_revision_id_foreign";`);
    this.addSql(`alter table "requested_reviewer" drop constraint "requested_reviewer_revision_id_foreign";`);
    this.addSql(`alter table "conflict" drop constraint "conflict_update_id_foreign";`);
    this.addSql(`alter table "conflict" drop constraint "conflict_base_id_foreign";`);
    this.addSql(`alter table "revision" drop constraint "revision_space_id_foreign";`);
    this.addSql(`alter table "permission" drop constraint "permission_space_id_foreign";`);
    this.addSql(`alter table "change_request" drop constraint "change_request_space_id_foreign";`);
    this.addSql(`alter table "review" drop constraint "review_change_request_id_foreign";`);
    this.addSql(`alter table "requested_reviewer" drop constraint "requested_reviewer_change_request_id_foreign";`);
    this.addSql(`alter table "conflict" drop constraint "conflict_change_request_id_foreign";`);
    this.addSql(`alter table "change_request_contributor" drop constraint "change_request_contributor_change_request_id_foreign";`);

    this.addSql(`drop table if exists "content_object" cascade;`);
    this.addSql(`drop table if exists "document_link" cascade;`);
    this.addSql(`drop table if exists "organization" cascade;`);
    this.addSql(`drop table if exists "collection" cascade;`);
    this.addSql(`drop table if exists "setting" cascade;`);
    this.addSql(`drop table if exists "team" cascade;`);
    this.addSql(`drop table if exists "user" cascade;`);
    this.addSql(`drop table if exists "team_member" cascade;`);
    this.addSql(`drop table if exists "revision" cascade;`);
    this.addSql(`drop table if exists "space" cascade;`);
    this.addSql(`drop table if exists "permission" cascade;`);
    this.addSql(`drop table if exists "member" cascade;`);
    this.addSql(`drop table if exists "change_request" cascade;`);
    this.addSql(`drop table if exists "review" cascade;`);
    this.addSql(`drop table if exists "requested_reviewer" cascade;`);
    this.addSql(`drop table if exists "conflict" cascade;`);
    this.addSql(`drop table if exists "change_request_contributor" cascade;`);
    this.addSql(`drop table if exists "api_token" cascade;`);
  }

}
