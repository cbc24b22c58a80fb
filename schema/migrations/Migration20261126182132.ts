import { Migration } from '@mikro-orm/migrations';

export class Migration20261126182132 extends Migration {

  override name = 'Migration20261126182132';

  override up(): void | Promise<void> {
    this.addSql(`create table "search_block" ("organization_id" text collate "C" not null, "segment" int not null, "kind" text not null, "key" text collate "C" not null, "frequency" int null, "block" bytea not null, primary key ("organization_id", "segment", "kind", "key"));`);

    this.addSql(`drop table if exists "search_posting" cascade;`);
    this.addSql(`drop table if exists "search_word" cascade;`);

    this.addSql(`alter table "search_block" add constraint "search_block_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`alter table "search_block" add constraint "search_block_kind_check" check ("kind" in ('term', 'word', 'reversed'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`create table "search_posting" ("block" bytea not null, "frequency" int not null, "organization_id" text collate "C" not null, "segment" int not null, "term" text collate "C" not null, primary key ("organization_id", "term", "segment"));`);

    this.addSql(`create table "search_word" ("frequency" int not null, "organization_id" text collate "C" not null, "term" text collate "C" not null, "word" text collate "C" not null, primary key ("organization_id", "word", "term"));`);
    this.addSql(`CREATE INDEX search_word_reversed ON public.search_word USING btree (organization_id, reverse(word));`);

    this.addSql(`drop table if exists "search_block" cascade;`);

    this.addSql(`alter table "search_posting" add constraint "search_posting_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);

    this.addSql(`alter table "search_word" add constraint "search_word_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
  }

}
