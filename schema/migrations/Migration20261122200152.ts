import { Migration } from '@mikro-orm/migrations';

export class Migration20261122200152 extends Migration {

  override name = 'Migration20261122200152';

  override up(): void | Promise<void> {
    this.addSql(`create table "embed" ("address" text collate "C" not null, "title" text null, "site" text null, "icon" text null, "html" text null, "expires_at" timestamptz(3) not null, primary key ("address"));`);
    this.addSql(`create index "embed_retention" on "embed" ("expires_at");`);

    this.addSql(`alter table "site" drop column "ads";`);

    this.addSql(`alter table "webhook" add "format" text not null default 'event';`);
    this.addSql(`alter table "webhook" add constraint "webhook_format_check" check ("format" in ('event', 'revalidate'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "embed" cascade;`);

    this.addSql(`alter table "site" add "ads" jsonb null;`);

    this.addSql(`alter table "webhook" drop constraint "webhook_format_check";`);
    this.addSql(`alter table "webhook" drop column "format";`);
  }

}
