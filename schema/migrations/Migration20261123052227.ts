import { Migration } from '@mikro-orm/migrations';

export class Migration20261123052227 extends Migration {

  override name = 'Migration20261123052227';

  override up(): void | Promise<void> {
    this.addSql(`alter table "issues_cluster" add "described_issues" int not null default 0, add "describe_error" text null;`);

    this.addSql(`alter table "conversation" add "attempts" int not null default 0;`);

    this.addSql(`alter table "translated_text" add "used_at" timestamptz(3) not null default now();`);
    this.addSql(`create index "translated_text_retention" on "translated_text" ("used_at");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "conversation" drop column "attempts";`);

    this.addSql(`alter table "issues_cluster" drop column "described_issues", drop column "describe_error";`);

    this.addSql(`drop index "translated_text_retention";`);
    this.addSql(`alter table "translated_text" drop column "used_at";`);
  }

}
