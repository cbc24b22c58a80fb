import { Migration } from '@mikro-orm/migrations';

export class Migration20261127231618 extends Migration {

  override name = 'Migration20261127231618';

  override up(): void | Promise<void> {
    this.addSql(`drop index "conversation_list";`);
    this.addSql(`drop index "conversation_source";`);
    this.addSql(`alter table "conversation" add "began_at" timestamptz(3);`);
    this.addSql(`update "conversation" set "began_at" = coalesce("started_at", "created_at");`);
    this.addSql(`alter table "conversation" alter column "began_at" set not null;`);
    this.addSql(`create index "conversation_newest" on "conversation" ("organization_id", "began_at", "id");`);
    this.addSql(`create index "conversation_newest_of_source" on "conversation" ("organization_id", "source", "began_at", "id");`);

    this.addSql(`drop index "conversation_issue_cluster";`);
    this.addSql(`drop index "conversation_issue_list";`);
    // Weeks begin on Monday; before, they began on Thursday, as 1970 did.
    this.moveToWeeksFrom(3 * 24 * 3600);
    this.addSql(`create index "conversation_issue_newest" on "conversation_issue" ("organization_id", "created_at", "id");`);
    this.addSql(`create index "conversation_issue_newest_of_cluster" on "conversation_issue" ("cluster_id", "created_at", "id");`);
    this.countByWeeks(3 * 24 * 3600);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "conversation_newest";`);
    this.addSql(`drop index "conversation_newest_of_source";`);
    this.addSql(`alter table "conversation" drop column "began_at";`);
    this.addSql(`create index "conversation_list" on "conversation" ("organization_id", "id");`);
    this.addSql(`create index "conversation_source" on "conversation" ("organization_id", "source", "id");`);

    this.addSql(`drop index "conversation_issue_newest";`);
    this.addSql(`drop index "conversation_issue_newest_of_cluster";`);
    this.moveToWeeksFrom(0);
    this.addSql(`create index "conversation_issue_cluster" on "conversation_issue" ("cluster_id", "id");`);
    this.addSql(`create index "conversation_issue_list" on "conversation_issue" ("organization_id", "id");`);
    this.countByWeeks(0);
  }

  /**
   * Computes the week of each issue. Before indexes are created, which would get an entry for each version of a row.
   * @param offset seconds between the start of the week and the start of 1970
   */
  private moveToWeeksFrom(offset: number): void {
    this.addSql(`update "conversation_issue" set "week" = ${weekOf('"created_at"', offset)};`);
  }

  /** Counts the issues of each cluster by week, without weeks that are too old to be shown. */
  private countByWeeks(offset: number): void {
    this.addSql(`
      update "issues_cluster" set "weeks" = coalesce((
        select jsonb_object_agg("week", "count")
        from (
          select "week", count(*) from "conversation_issue"
          where "cluster_id" = "issues_cluster"."id" and "week" > ${weekOf('now()', offset)} - 13
          group by "week"
        ) as "counted"), '{}');`);
  }

}

const weekOf = (time: string, offset: number): string =>
  `floor((extract(epoch from least(${time}, now())) + ${offset}) / (7 * 24 * 3600))`;
