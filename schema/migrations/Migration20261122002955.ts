import { Migration } from '@mikro-orm/migrations';

export class Migration20261122002955 extends Migration {

  override name = 'Migration20261122002955';

  override up(): void | Promise<void> {
    this.addSql(`alter table "content_object" drop constraint "content_object_kind_check";`);
    this.addSql(`alter table "content_object" add constraint "content_object_kind_check" check ("kind" in ('document', 'map', 'root', 'text'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "content_object" drop constraint "content_object_kind_check";`);
    this.addSql(`alter table "content_object" add constraint "content_object_kind_check" check ("kind" in ('document', 'map', 'root'));`);
  }

}
