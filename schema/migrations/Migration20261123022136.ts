import { Migration } from '@mikro-orm/migrations';

export class Migration20261123022136 extends Migration {

  override name = 'Migration20261123022136';

  override up(): void | Promise<void> {
    this.addSql(`create table "glossary_entry" ("id" text collate "C" not null, "organization_id" text collate "C" not null, "translations" jsonb not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "glossary_entry_list" on "glossary_entry" ("organization_id", "id");`);

    this.addSql(`create table "translated_text" ("organization_id" text collate "C" not null, "hash" text collate "C" not null, "translation" text not null, "created_at" timestamptz(3) not null, primary key ("organization_id", "hash"));`);

    this.addSql(`create table "translation" ("id" text collate "C" not null, "organization_id" text collate "C" not null, "source_id" text collate "C" not null, "source_language" text not null, "result_id" text collate "C" not null, "language" text not null, "instructions" jsonb not null, "run_on_change" boolean not null default false, "status" text not null default 'pending', "run" int not null default 1, "run_by_id" text collate "C" null, "run_again" boolean not null default false, "started_at" timestamptz(3) null, "done" int not null default 0, "total" int not null default 0, "error" text null, "conflicts" jsonb not null, "source_revision_id" text collate "C" null, "translated_revision_id" text collate "C" null, "result_revision_id" text collate "C" null, "context" text collate "C" null, "runs" int not null default 0, "total_words" int not null default 0, "total_pages" int not null default 0, "total_duration" int not null default 0, "latest_run_duration" int not null default 0, "latest_pages" int not null default 0, "latest_words" int not null default 0, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "translation_source_id_index" on "translation" ("source_id");`);
    this.addSql(`create index "translation_result_id_index" on "translation" ("result_id");`);
    this.addSql(`create index "translation_run_by_id_index" on "translation" ("run_by_id");`);
    this.addSql(`create index "translation_source_revision_id_index" on "translation" ("source_revision_id");`);
    this.addSql(`create index "translation_translated_revision_id_index" on "translation" ("translated_revision_id");`);
    this.addSql(`create index "translation_result_revision_id_index" on "translation" ("result_revision_id");`);
    this.addSql(`create index "translation_list" on "translation" ("organization_id", "id");`);

    this.addSql(`alter table "glossary_entry" add constraint "glossary_entry_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);

    this.addSql(`alter table "translated_text" add constraint "translated_text_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);

    this.addSql(`alter table "translation" add constraint "translation_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`alter table "translation" add constraint "translation_source_id_foreign" foreign key ("source_id") references "space" ("id") on delete cascade;`);
    this.addSql(`alter table "translation" add constraint "translation_result_id_foreign" foreign key ("result_id") references "space" ("id") on delete cascade;`);
    this.addSql(`alter table "translation" add constraint "translation_run_by_id_foreign" foreign key ("run_by_id") references "user" ("id") on delete set null;`);
    this.addSql(`alter table "translation" add constraint "translation_source_revision_id_foreign" foreign key ("source_revision_id") references "revision" ("id") on delete set null;`);
    this.addSql(`alter table "translation" add constraint "translation_translated_revision_id_foreign" foreign key ("translated_revision_id") references "revision" ("id") on delete set null;`);
    this.addSql(`alter table "translation" add constraint "translation_result_revision_id_foreign" foreign key ("result_revision_id") references "revision" ("id") on delete set null;`);
    this.addSql(`alter table "translation" add constraint "translation_source_language_check" check ("source_language" in ('en', 'fr', 'de', 'es', 'it', 'pt', 'pt-br', 'ru', 'ja', 'zh', 'yue', 'ko', 'ar', 'hi', 'nl', 'pl', 'tr', 'sv', 'no', 'da', 'fi', 'el', 'cs', 'hu', 'ro', 'th', 'vi', 'id', 'ms', 'he', 'uk', 'sk', 'bg', 'hr', 'lt', 'lv', 'et', 'sl'));`);
    this.addSql(`alter table "translation" add constraint "translation_language_check" check ("language" in ('en', 'fr', 'de', 'es', 'it', 'pt', 'pt-br', 'ru', 'ja', 'zh', 'yue', 'ko', 'ar', 'hi', 'nl', 'pl', 'tr', 'sv', 'no', 'da', 'fi', 'el', 'cs', 'hu', 'ro', 'th', 'vi', 'id', 'ms', 'he', 'uk', 'sk', 'bg', 'hr', 'lt', 'lv', 'et', 'sl'));`);
    this.addSql(`alter table "translation" add constraint "translation_status_check" check ("status" in ('pending', 'running', 'completed'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "glossary_entry" cascade;`);
    this.addSql(`drop table if exists "translated_text" cascade;`);
    this.addSql(`drop table if exists "translation" cascade;`);
  }

}
