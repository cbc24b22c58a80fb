import { Migration } from '@mikro-orm/migrations';

export class Migration20261122190136 extends Migration {

  override name = 'Migration20261122190136';

  override up(): void | Promise<void> {
    this.addSql(`alter table "site_section_group" add "draft" boolean not null default false;`);

    this.addSql(`alter table "site_section" add "draft" boolean not null default false;`);

    this.addSql(`alter table "site_space" add "draft" boolean not null default false;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "site_section" drop column "draft";`);

    this.addSql(`alter table "site_section_group" drop column "draft";`);

    this.addSql(`alter table "site_space" drop column "draft";`);
  }

}
