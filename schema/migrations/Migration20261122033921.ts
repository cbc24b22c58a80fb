import { Migration } from '@mikro-orm/migrations';

export class Migration20261122033921 extends Migration {

  override name = 'Migration20261122033921';

  override up(): void | Promise<void> {
    this.addSql(`alter table "webhook_delivery" add "leased_until" timestamptz(3) null;`);
    this.addSql(`create index "webhook_delivery_due" on "webhook_delivery" ("webhook_id", "next_attempt_at", "id") where "status" = 'pending';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "webhook_delivery_due";`);
    this.addSql(`alter table "webhook_delivery" drop column "leased_until";`);
  }

}
