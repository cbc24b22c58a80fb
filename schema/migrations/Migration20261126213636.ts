import { Migration } from '@mikro-orm/migrations';

export class Migration20261126213636 extends Migration {

  override name = 'Migration20261126213636';

  override up(): void | Promise<void> {
    this.addSql(`alter table "site_section" add "earlier_paths" text[] not null default '{}';`);
    this.addSql(`create index "site_section_renamed" on "site_section" ("site_id") where "earlier_paths" <> '{}';`);

    this.addSql(`alter table "site_space" add "earlier_paths" text[] not null default '{}';`);
    this.addSql(`create index "site_space_renamed" on "site_space" ("site_id") where "earlier_paths" <> '{}';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "site_section_renamed";`);
    this.addSql(`alter table "site_section" drop column "earlier_paths";`);

    this.addSql(`drop index "site_space_renamed";`);
    this.addSql(`alter table "site_space" drop column "earlier_paths";`);
  }

}
