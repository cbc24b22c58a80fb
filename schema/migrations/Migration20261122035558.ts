import { Migration } from '@mikro-orm/migrations';

export class Migration20261122035558 extends Migration {

  override name = 'Migration20261122035558';

  override up(): void | Promise<void> {
    this.addSql(`create table "openapi_spec" ("id" text collate "C" not null, "organization_id" text collate "C" not null, "slug" text collate "C" not null, "visibility" text not null default 'private', "source_url" text null, "source_text" text collate "C" null, "processing_state" text not null default 'pending', "processing" int not null default 1, "last_version_id" text collate "C" null, "last_processed_at" timestamptz(3) null, "last_process_error_code" text null, "last_processed_errors" jsonb not null, "etag" text null, "last_modified" text null, "next_fetch_at" timestamptz(3) null, "failures" int not null default 0, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "openapi_spec_list" on "openapi_spec" ("organization_id", "id");`);
    this.addSql(`create index "openapi_spec_next_fetch" on "openapi_spec" ("next_fetch_at") where "next_fetch_at" is not null;`);
    this.addSql(`alter table "openapi_spec" add constraint "openapi_spec_slug" unique ("organization_id", "slug");`);

    this.addSql(`create table "openapi_spec_version" ("id" text collate "C" not null, "spec_id" text collate "C" not null, "hash" text collate "C" not null, "source" text collate "C" not null, "format" text not null, "document" text collate "C" not null, "operations" int not null, "source_url" text null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "openapi_spec_version_list" on "openapi_spec_version" ("spec_id", "id");`);

    this.addSql(`alter table "openapi_spec" add constraint "openapi_spec_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`alter table "openapi_spec" add constraint "openapi_spec_source" check (("source_url" is null) <> ("source_text" is null));`);
    this.addSql(`alter table "openapi_spec" add constraint "openapi_spec_visibility_check" check ("visibility" in ('private', 'public'));`);
    this.addSql(`alter table "openapi_spec" add constraint "openapi_spec_processing_state_check" check ("processing_state" in ('pending', 'progress', 'complete'));`);
    this.addSql(`alter table "openapi_spec" add constraint "openapi_spec_last_process_error_code_check" check ("last_process_error_code" in ('FETCH_TIMEOUT', 'FETCH_ERROR', 'PARSE_ERROR'));`);

    this.addSql(`alter table "openapi_spec_version" add constraint "openapi_spec_version_spec_id_foreign" foreign key ("spec_id") references "openapi_spec" ("id") on delete cascade;`);
    this.addSql(`alter table "openapi_spec_version" add constraint "openapi_spec_version_format_check" check ("format" in ('json', 'yaml'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "openapi_spec_version" drop constraint "openapi_spec_version_spec_id_foreign";`);

    this.addSql(`drop table if exists "openapi_spec" cascade;`);
    this.addSql(`drop table if exists "openapi_spec_version" cascade;`);
  }

}
