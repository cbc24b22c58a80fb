import { Migration } from '@mikro-orm/migrations';

export class Migration20261128054756 extends Migration {

  override name = 'Migration20261128054756';

  override up(): void | Promise<void> {
    // Its indexes are dropped with it.
    this.addSql(`alter table "conversation" drop column "began_at";`);
    this.addSql(`create index conversation_newest on conversation (organization_id, coalesce(started_at, created_at), id);`);
    this.addSql(`create index conversation_newest_of_source on conversation (organization_id, source, coalesce(started_at, created_at), id);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "conversation_newest";`);
    this.addSql(`drop index "conversation_newest_of_source";`);
    this.addSql(`alter table "conversation" add "began_at" timestamptz(3);`);
    this.addSql(`update "conversation" set "began_at" = coalesce("started_at", "created_at");`);
    this.addSql(`alter table "conversation" alter column "began_at" set not null;`);
    this.addSql(`create index "conversation_newest" on "conversation" ("organization_id", "began_at", "id");`);
    this.addSql(`create index "conversation_newest_of_source" on "conversation" ("organization_id", "source", "began_at", "id");`);
  }

}
