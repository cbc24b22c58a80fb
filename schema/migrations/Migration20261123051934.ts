import { Migration } from '@mikro-orm/migrations';

export class Migration20261123051934 extends Migration {

  override name = 'Migration20261123051934';

  override up(): void | Promise<void> {
    this.addSql(`alter table "pdf" add "attempts" int not null default 0, add "leased_until" timestamptz(3) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "pdf" drop column "attempts", drop column "leased_until";`);
  }

}
