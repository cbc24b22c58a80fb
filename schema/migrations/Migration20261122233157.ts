import { Migration } from '@mikro-orm/migrations';

export class Migration20261122233157 extends Migration {

  override name = 'Migration20261122233157';

  override up(): void | Promise<void> {
    this.addSql(`create table "search_document" ("organization_id" text collate "C" not null, "number" int not null, "key" text collate "C" not null, "part" int not null, "conditions" text[] not null, "body" bytea not null, primary key ("organization_id", "number"));`);
    this.addSql(`alter table "search_document" add constraint "search_document_key" unique ("organization_id", "key", "part");`);

    this.addSql(`create table "search_index" ("organization_id" text collate "C" not null, "documents" int not null default 0, "last_document" int not null default 0, "last_segment" int not null default 0, primary key ("organization_id"));`);

    this.addSql(`create table "search_leaf" ("organization_id" text collate "C" not null, "hash" text collate "C" not null, "language" text collate "C" not null, "pages" json not null, primary key ("organization_id", "hash", "language"));`);

    this.addSql(`create table "search_posting" ("organization_id" text collate "C" not null, "term" text collate "C" not null, "segment" int not null, "frequency" int not null, "block" bytea not null, primary key ("organization_id", "term", "segment"));`);

    this.addSql(`create table "search_segment" ("organization_id" text collate "C" not null, "number" int not null, "first_document" int not null, "documents" int not null, primary key ("organization_id", "number"));`);

    this.addSql(`create table "search_word" ("organization_id" text collate "C" not null, "word" text collate "C" not null, "term" text collate "C" not null, "frequency" int not null, primary key ("organization_id", "word", "term"));`);
    this.addSql(`create index search_word_reversed on search_word (organization_id, (reverse(word) collate "C"));`);

    this.addSql(`create table "search_space" ("space_id" text collate "C" not null, "organization_id" text collate "C" not null, "root" text collate "C" not null, "language" text collate "C" not null, primary key ("space_id"));`);
    this.addSql(`create index "search_space_organization_id_index" on "search_space" ("organization_id");`);

    this.addSql(`alter table "search_document" add constraint "search_document_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);

    this.addSql(`alter table "search_index" add constraint "search_index_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update cascade on delete cascade;`);

    this.addSql(`alter table "search_leaf" add constraint "search_leaf_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);

    this.addSql(`alter table "search_posting" add constraint "search_posting_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);

    this.addSql(`alter table "search_segment" add constraint "search_segment_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);

    this.addSql(`alter table "search_word" add constraint "search_word_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);

    this.addSql(`alter table "search_space" add constraint "search_space_space_id_foreign" foreign key ("space_id") references "space" ("id") on update cascade on delete cascade;`);
    this.addSql(`alter table "search_space" add constraint "search_space_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "search_document" cascade;`);
    this.addSql(`drop table if exists "search_index" cascade;`);
    this.addSql(`drop table if exists "search_leaf" cascade;`);
    this.addSql(`drop table if exists "search_posting" cascade;`);
    this.addSql(`drop table if exists "search_segment" cascade;`);
    this.addSql(`drop table if exists "search_word" cascade;`);
    this.addSql(`drop table if exists "search_space" cascade;`);
  }

}
