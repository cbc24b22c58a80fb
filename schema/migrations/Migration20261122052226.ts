import { Migration } from '@mikro-orm/migrations';

export class Migration20261122052226 extends Migration {

  override name = 'Migration20261122052226';

  override up(): void | Promise<void> {
    this.addSql(`create table "api_outline" ("hash" text collate "C" not null, "format" int not null, "body" json null, "created_at" timestamptz(3) not null, primary key ("hash"));`);

    this.addSql(`create table "openapi_spec_page" ("organization_id" text collate "C" not null, "slug" text collate "C" not null, "path" text collate "C" not null, "key" text not null, "title" text not null, "version" text collate "C" not null, primary key ("organization_id", "slug", "path"));`);

    this.addSql(`create table "openapi_spec" ("id" text collate "C" not null, "organization_id" text collate "C" not null, "slug" text collate "C" not null, "visibility" text not null default 'private', "source_url" text null, "source_text" text collate "C" null, "processing_state" text not null default 'pending', "processing" int not null default 1, "last_version_id" text collate "C" null, "last_processed_at" timestamptz(3) null, "last_process_error_code" text null, "last_processed_errors" jsonb not null, "etag" text null, "last_modified" text null, "next_fetch_at" timestamptz(3) null, "failures" int not null default 0, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "openapi_spec_list" on "openapi_spec" ("organization_id", "id");`);
    this.addSql(`create index "openapi_spec_next_fetch" on "openapi_spec" ("next_fetch_at") where "next_fetch_at" is not null;`);
    this.addSql(`alter table "openapi_spec" add constraint "openapi_spec_slug" unique ("organization_id", "slug");`);

    this.addSql(`create table "openapi_spec_version" ("id" text collate "C" not null, "spec_id" text collate "C" not null, "hash" text collate "C" not null, "source" text collate "C" not null, "format" text not null, "document" text collate "C" not null, "operations" int not null, "source_url" text null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "openapi_spec_version_list" on "openapi_spec_version" ("spec_id", "id");`);

    this.addSql(`create table "site" ("id" text collate "C" not null, "organization_id" text collate "C" not null, "type" text not null default 'basic', "title" text not null, "basename" text null, "proxy_origin" text null, "visibility" text not null default 'public', "published" boolean not null default false, "default_level" text null, "adaptive_content" boolean not null default false, "adaptive_schema" jsonb null, "adaptive_schema_updated_at" timestamptz(3) null, "agents_context" text not null default 'included', "ads" jsonb null, "customization" jsonb null, "auth_key" text null, "auth_backend" text not null default 'custom', "auth_integration" text null, "auth_fallback_url" text null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`alter table "site" add constraint "site_proxy_origin_unique" unique ("proxy_origin");`);
    this.addSql(`create index "site_list" on "site" ("organization_id", "id");`);
    this.addSql(`alter table "site" add constraint "site_basename" unique ("organization_id", "basename");`);

    this.addSql(`create table "share_link" ("id" text collate "C" not null, "site_id" text collate "C" not null, "key" text not null, "name" text null, "active" boolean not null default true, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`alter table "share_link" add constraint "share_link_key_unique" unique ("key");`);
    this.addSql(`create index "share_link_list" on "share_link" ("site_id", "id");`);

    this.addSql(`create table "custom_hostname" ("hostname" text collate "C" not null, "organization_id" text collate "C" not null, "site_id" text collate "C" null, "is_active" boolean not null default false, "status" text null, "checked_at" timestamptz(3) null, "error" text null, "created_at" timestamptz(3) not null, primary key ("hostname"));`);
    this.addSql(`create index "custom_hostname_organization_id_index" on "custom_hostname" ("organization_id");`);
    this.addSql(`alter table "custom_hostname" add constraint "custom_hostname_site_id_unique" unique ("site_id");`);

    this.addSql(`create table "site_section_group" ("id" text collate "C" not null, "site_id" text collate "C" not null, "parent_id" text collate "C" null, "title" text not null, "icon" text null, "position" text collate "C" not null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "site_section_group_parent_id_index" on "site_section_group" ("parent_id");`);
    this.addSql(`create index "site_section_group_order" on "site_section_group" ("site_id", "parent_id", "position", "id");`);
    this.addSql(`create index "site_section_group_root" on "site_section_group" ("site_id", "position", "id") where "parent_id" is null;`);
    this.addSql(`create index "site_section_group_list" on "site_section_group" ("site_id", "id");`);

    this.addSql(`create table "site_section" ("id" text collate "C" not null, "site_id" text collate "C" not null, "group_id" text collate "C" null, "title" text not null, "description" text null, "icon" text null, "path" text not null, "condition" text null, "is_default" boolean not null default false, "position" text collate "C" not null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "site_section_group_id_index" on "site_section" ("group_id");`);
    this.addSql(`create index "site_section_order" on "site_section" ("site_id", "group_id", "position", "id");`);
    this.addSql(`create index "site_section_root" on "site_section" ("site_id", "position", "id") where "group_id" is null;`);
    this.addSql(`create index "site_section_list" on "site_section" ("site_id", "id");`);
    this.addSql(`create unique index site_section_default on site_section (site_id) where is_default;`);
    this.addSql(`alter table "site_section" add constraint "site_section_path" unique ("site_id", "path");`);

    this.addSql(`create table "subdomain" ("subdomain" text collate "C" not null, "organization_id" text collate "C" not null, "created_at" timestamptz(3) not null, primary key ("subdomain"));`);
    this.addSql(`alter table "subdomain" add constraint "subdomain_organization_id_unique" unique ("organization_id");`);

    this.addSql(`create table "site_space" ("id" text collate "C" not null, "site_id" text collate "C" not null, "section_id" text collate "C" null, "space_id" text collate "C" not null, "path" text not null, "condition" text null, "is_default" boolean not null default false, "customization" jsonb null, "position" text collate "C" not null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "site_space_section_id_index" on "site_space" ("section_id");`);
    this.addSql(`create index "site_space_space_id_index" on "site_space" ("space_id");`);
    this.addSql(`create index "site_space_order" on "site_space" ("site_id", "section_id", "position", "id");`);
    this.addSql(`create unique index site_space_root_path on site_space (site_id, path) where section_id is null;`);
    this.addSql(`create unique index site_space_default on site_space (section_id) where is_default;`);
    this.addSql(`create unique index site_space_root_default on site_space (site_id) where is_default and section_id is null;`);
    this.addSql(`alter table "site_space" add constraint "site_space_once" unique ("site_id", "space_id");`);
    this.addSql(`alter table "site_space" add constraint "site_space_path" unique ("section_id", "path");`);

    this.addSql(`create table "site_redirect" ("id" text collate "C" not null, "site_id" text collate "C" not null, "source" text not null, "destination" jsonb not null, "imported_with_id" text collate "C" null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "site_redirect_imported_with_id_index" on "site_redirect" ("imported_with_id");`);
    this.addSql(`create index "site_redirect_list" on "site_redirect" ("site_id", "id");`);
    this.addSql(`alter table "site_redirect" add constraint "site_redirect_source" unique ("site_id", "source");`);

    this.addSql(`alter table "document_link" add "part" jsonb null;`);

    this.addSql(`alter table "event" add "site_id" text collate "C" null;`);

    this.addSql(`alter table "permission" drop constraint "permission_content";`);
    this.addSql(`alter table "permission" add "site_id" text collate "C" null;`);
    this.addSql(`alter table "permission" add constraint "permission_site_id_foreign" foreign key ("site_id") references "site" ("id") on delete cascade;`);
    this.addSql(`create index "permission_on_site" on "permission" ("site_id", "id") where "site_id" is not null;`);
    this.addSql(`alter table "permission" add constraint "permission_site_user" unique ("site_id", "user_id");`);
    this.addSql(`alter table "permission" add constraint "permission_site_team" unique ("site_id", "team_id");`);
    this.addSql(`alter table "permission" add constraint "permission_content" check (num_nonnulls(collection_id, space_id, site_id) = 1);`);

    this.addSql(`alter table "webhook_delivery" add "leased_until" timestamptz(3) null;`);
    this.addSql(`create index "webhook_delivery_due" on "webhook_delivery" ("webhook_id", "next_attempt_at", "id") where "status" = 'pending';`);

    this.addSql(`alter table "openapi_spec_page" add constraint "openapi_spec_page_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);

    this.addSql(`alter table "openapi_spec" add constraint "openapi_spec_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`alter table "openapi_spec" add constraint "openapi_spec_source" check (("source_url" is null) <> ("source_text" is null));`);
    this.addSql(`alter table "openapi_spec" add constraint "openapi_spec_visibility_check" check ("visibility" in ('private', 'public'));`);
    this.addSql(`alter table "openapi_spec" add constraint "openapi_spec_processing_state_check" check ("processing_state" in ('pending', 'progress', 'complete'));`);
    this.addSql(`alter table "openapi_spec" add constraint "openapi_spec_last_process_error_code_check" check ("last_process_error_code" in ('FETCH_TIMEOUT', 'FETCH_ERROR', 'PARSE_ERROR'));`);

    this.addSql(`alter table "openapi_spec_version" add constraint "openapi_spec_version_spec_id_foreign" foreign key ("spec_id") references "openapi_spec" ("id") on delete cascade;`);
    this.addSql(`alter table "openapi_spec_version" add constraint "openapi_spec_version_format_check" check ("format" in ('json', 'yaml'));`);

    this.addSql(`alter table "site" add constraint "site_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`alter table "site" add constraint "site_type_check" check ("type" in ('basic', 'premium', 'ultimate', 'sponsored', 'legacy-basic', 'legacy-premium'));`);
    this.addSql(`alter table "site" add constraint "site_visibility_check" check ("visibility" in ('public', 'unlisted', 'share-link', 'visitor-auth'));`);
    this.addSql(`alter table "site" add constraint "site_default_level_check" check ("default_level" in ('admin', 'create', 'review', 'edit', 'comment', 'read', 'inherit'));`);
    this.addSql(`alter table "site" add constraint "site_agents_context_check" check ("agents_context" in ('excluded', 'included'));`);
    this.addSql(`alter table "site" add constraint "site_auth_backend_check" check ("auth_backend" in ('custom', 'integration'));`);

    this.addSql(`alter table "share_link" add constraint "share_link_site_id_foreign" foreign key ("site_id") references "site" ("id") on delete cascade;`);

    this.addSql(`alter table "custom_hostname" add constraint "custom_hostname_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`alter table "custom_hostname" add constraint "custom_hostname_site_id_foreign" foreign key ("site_id") references "site" ("id") on delete cascade;`);
    this.addSql(`alter table "custom_hostname" add constraint "custom_hostname_status_check" check ("status" in ('dns_passed', 'dns_wrong_cname', 'dns_no_cname', 'dns_cloudflare_proxied', 'dns_wrong_caa', 'live', 'ssl_unknown', 'ssl_pending', 'ssl_failed', 'ssl_retry_expired', 'invalid_domain', 'internal_error'));`);

    this.addSql(`alter table "site_section_group" add constraint "site_section_group_site_id_foreign" foreign key ("site_id") references "site" ("id") on delete cascade;`);
    this.addSql(`alter table "site_section_group" add constraint "site_section_group_parent_id_foreign" foreign key ("parent_id") references "site_section_group" ("id") on delete cascade;`);

    this.addSql(`alter table "site_section" add constraint "site_section_site_id_foreign" foreign key ("site_id") references "site" ("id") on delete cascade;`);
    this.addSql(`alter table "site_section" add constraint "site_section_group_id_foreign" foreign key ("group_id") references "site_section_group" ("id") on delete set null;`);

    this.addSql(`alter table "subdomain" add constraint "subdomain_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);

    this.addSql(`alter table "site_space" add constraint "site_space_site_id_foreign" foreign key ("site_id") references "site" ("id") on delete cascade;`);
    this.addSql(`alter table "site_space" add constraint "site_space_section_id_foreign" foreign key ("section_id") references "site_section" ("id") on delete cascade;`);
    this.addSql(`alter table "site_space" add constraint "site_space_space_id_foreign" foreign key ("space_id") references "space" ("id") on delete cascade;`);

    this.addSql(`alter table "site_redirect" add constraint "site_redirect_site_id_foreign" foreign key ("site_id") references "site" ("id") on delete cascade;`);
    this.addSql(`alter table "site_redirect" add constraint "site_redirect_imported_with_id_foreign" foreign key ("imported_with_id") references "space" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "openapi_spec_version" drop constraint "openapi_spec_version_spec_id_foreign";`);
    this.addSql(`alter table "share_link" drop constraint "share_link_site_id_foreign";`);
    this.addSql(`alter table "custom_hostname" drop constraint "custom_hostname_site_id_foreign";`);
    this.addSql(`alter table "site_section_group" drop constraint "site_section_group_site_id_foreign";`);
    this.addSql(`alter table "site_section" drop constraint "site_section_site_id_foreign";`);
    this.addSql(`alter table "site_space" drop constraint "site_space_site_id_foreign";`);
    this.addSql(`alter table "site_redirect" drop constraint "site_redirect_site_id_foreign";`);
    this.addSql(`alter table "permission" drop constraint "permission_site_id_foreign";`);
    this.addSql(`alter table "site_section_group" drop constraint "site_section_group_parent_id_foreign";`);
    this.addSql(`alter table "site_section" drop constraint "site_section_group_id_foreign";`);
    this.addSql(`alter table "site_space" drop constraint "site_space_section_id_foreign";`);

    this.addSql(`drop table if exists "api_outline" cascade;`);
    this.addSql(`drop table if exists "openapi_spec_page" cascade;`);
    this.addSql(`drop table if exists "openapi_spec" cascade;`);
    this.addSql(`drop table if exists "openapi_spec_version" cascade;`);
    this.addSql(`drop table if exists "site" cascade;`);
    this.addSql(`drop table if exists "share_link" cascade;`);
    this.addSql(`drop table if exists "custom_hostname" cascade;`);
    this.addSql(`drop table if exists "site_section_group" cascade;`);
    this.addSql(`drop table if exists "site_section" cascade;`);
    this.addSql(`drop table if exists "subdomain" cascade;`);
    this.addSql(`drop table if exists "site_space" cascade;`);
    this.addSql(`drop table if exists "site_redirect" cascade;`);

    this.addSql(`alter table "document_link" drop column "part";`);

    this.addSql(`alter table "event" drop column "site_id";`);

    this.addSql(`drop index "permission_on_site";`);
    this.addSql(`alter table "permission" drop constraint "permission_site_user";`);
    this.addSql(`alter table "permission" drop constraint "permission_site_team";`);
    this.addSql(`alter table "permission" drop constraint "permission_content";`);
    this.addSql(`alter table "permission" drop column "site_id";`);
    this.addSql(`alter table "permission" add constraint "permission_content" check (num_nonnulls(collection_id, space_id) = 1);`);

    this.addSql(`drop index "webhook_delivery_due";`);
    this.addSql(`alter table "webhook_delivery" drop column "leased_until";`);
  }

}
