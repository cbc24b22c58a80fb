import { Migration } from '@mikro-orm/migrations';

export class Migration20261122003913 extends Migration {

  override name = 'Migration20261122003913';

  override up(): void | Promise<void> {
    this.addSql(`create table "comment" ("id" text collate "C" not null, "space_id" text collate "C" not null, "change_request_id" text collate "C" null, "parent_id" text collate "C" null, "status" text null, "posted_by_id" text collate "C" not null, "document" jsonb not null, "markdown" text not null, "page" text null, "node" text null, "table_record" text null, "table_definition" text null, "revision_id" text collate "C" not null, "review_id" text collate "C" null, "created_at" timestamptz(3) not null, "edited_at" timestamptz(3) null, "resolved_at" timestamptz(3) null, "resolved_by_id" text collate "C" null, primary key ("id"));`);
    this.addSql(`create index "comment_posted_by_id_index" on "comment" ("posted_by_id");`);
    this.addSql(`create index "comment_revision_id_index" on "comment" ("revision_id");`);
    this.addSql(`alter table "comment" add constraint "comment_review_id_unique" unique ("review_id");`);
    this.addSql(`create index "comment_resolved_by_id_index" on "comment" ("resolved_by_id");`);
    this.addSql(`create index "comment_in_space" on "comment" ("space_id", "id") where "change_request_id" is null and "parent_id" is null;`);
    this.addSql(`create index "comment_in_space_status" on "comment" ("space_id", "status", "id") where "change_request_id" is null and "parent_id" is null;`);
    this.addSql(`create index "comment_on_page" on "comment" ("space_id", "page", "id") where "page" is not null and "change_request_id" is null and "parent_id" is null;`);
    this.addSql(`create index "comment_in_change_request" on "comment" ("change_request_id", "id") where "change_request_id" is not null;`);
    this.addSql(`create index "comment_on_node" on "comment" ("space_id", "page", "node") where "node" is not null and "change_request_id" is null;`);
    this.addSql(`create index "comment_replies" on "comment" ("parent_id", "id") where "parent_id" is not null;`);
    this.addSql(`create index "comment_authors" on "comment" ("space_id", "posted_by_id");`);

    this.addSql(`create table "comment_reaction" ("comment_id" text collate "C" not null, "emoji" text not null, "user_id" text collate "C" not null, "created_at" timestamptz(3) not null, primary key ("comment_id", "emoji", "user_id"));`);
    this.addSql(`create index "comment_reaction_user_id_index" on "comment_reaction" ("user_id");`);

    // The comments of reviews become comments of their change requests, under the same id. Their Markdown is their plain
    // text, a paragraph for each block, until they are edited: SQL cannot write more.
    this.addSql(`insert into comment (id, space_id, change_request_id, status, posted_by_id, document, markdown, revision_id, review_id, created_at)
      select review.id, change_request.space_id, change_request.id, 'open', review.reviewer_id, review.comment,
        coalesce((
          select string_agg(line, E'\\n\\n' order by place)
          from jsonb_array_elements(review.comment -> 'nodes') with ordinality as block (node, place),
            lateral (
              select string_agg(leaf #>> '{}', '') as line
              from jsonb_path_query(node, 'strict $.**.leaves[*].text') as leaf) as text), ''),
        review.revision_id, review.id, review.created_at
      from review join change_request on change_request.id = review.change_request_id
      where review.comment is not null;`);
    this.addSql(`update change_request
      set comments = (select count(*) from comment where comment.change_request_id = change_request.id)
      where exists (select from comment where comment.change_request_id = change_request.id);`);
    this.addSql(`alter table "review" drop column "comment";`);

    this.addSql(`alter table "comment" add constraint "comment_space_id_foreign" foreign key ("space_id") references "space" ("id") on delete cascade;`);
    this.addSql(`alter table "comment" add constraint "comment_change_request_id_foreign" foreign key ("change_request_id") references "change_request" ("id") on delete cascade;`);
    this.addSql(`alter table "comment" add constraint "comment_parent_id_foreign" foreign key ("parent_id") references "comment" ("id") on delete cascade;`);
    this.addSql(`alter table "comment" add constraint "comment_posted_by_id_foreign" foreign key ("posted_by_id") references "user" ("id");`);
    this.addSql(`alter table "comment" add constraint "comment_revision_id_foreign" foreign key ("revision_id") references "revision" ("id");`);
    this.addSql(`alter table "comment" add constraint "comment_review_id_foreign" foreign key ("review_id") references "review" ("id") on delete set null;`);
    this.addSql(`alter table "comment" add constraint "comment_resolved_by_id_foreign" foreign key ("resolved_by_id") references "user" ("id") on delete restrict;`);
    this.addSql(`alter table "comment" add constraint "comment_reply" check ((parent_id is null) = (status is not null));`);
    this.addSql(`alter table "comment" add constraint "comment_resolved" check ((status = 'resolved') = (num_nonnulls(resolved_at, resolved_by_id) = 2));`);
    this.addSql(`alter table "comment" add constraint "comment_status_check" check ("status" in ('open', 'resolved'));`);

    this.addSql(`alter table "comment_reaction" add constraint "comment_reaction_comment_id_foreign" foreign key ("comment_id") references "comment" ("id") on delete cascade;`);
    this.addSql(`alter table "comment_reaction" add constraint "comment_reaction_user_id_foreign" foreign key ("user_id") references "user" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "comment" drop constraint "comment_parent_id_foreign";`);
    this.addSql(`alter table "comment_reaction" drop constraint "comment_reaction_comment_id_foreign";`);

    this.addSql(`drop table if exists "comment" cascade;`);
    this.addSql(`drop table if exists "comment_reaction" cascade;`);

    this.addSql(`alter table "review" add "comment" jsonb null;`);
  }

}
