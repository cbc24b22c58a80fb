import { Migration } from '@mikro-orm/migrations';

export class Migration20261123001706 extends Migration {

  override name = 'Migration20261123001706';

  override up(): void | Promise<void> {
    this.addSql(`create table "issue_term" ("organization_id" text collate "C" not null, "term" text collate "C" not null, "issues" int not null, primary key ("organization_id", "term"));`);

    this.addSql(`create table "issues_cluster" ("id" text collate "C" not null, "organization_id" text collate "C" not null, "representative_id" text collate "C" not null, "label" text not null, "summary" text not null, "icon" text not null, "issues" int not null, "conversations" int not null, "sources" jsonb not null, "weeks" jsonb not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "issues_cluster_created" on "issues_cluster" ("organization_id", "id");`);
    this.addSql(`create index "issues_cluster_updated" on "issues_cluster" ("organization_id", "updated_at", "id");`);
    this.addSql(`create index "issues_cluster_issues" on "issues_cluster" ("organization_id", "issues", "id");`);
    this.addSql(`create index "issues_cluster_conversations" on "issues_cluster" ("organization_id", "conversations", "id");`);

    this.addSql(`create table "issues_cluster_term" ("cluster_id" text collate "C" not null, "term" text collate "C" not null, "organization_id" text collate "C" not null, "weight" int not null, primary key ("cluster_id", "term"));`);
    this.addSql(`create index "issues_cluster_term_postings" on "issues_cluster_term" ("organization_id", "term", "weight", "cluster_id");`);
    this.addSql(`create index "issues_cluster_term_weight" on "issues_cluster_term" ("cluster_id", "weight");`);

    this.addSql(`create table "issue_index" ("organization_id" text collate "C" not null, "issues" int not null, primary key ("organization_id"));`);

    this.addSql(`create table "conversation" ("id" text collate "C" not null, "organization_id" text collate "C" not null, "source" text collate "C" not null, "external_id" text collate "C" not null, "subject" text null, "url" text null, "attributes" jsonb null, "parts" jsonb not null, "started_at" timestamptz(3) null, "hash" text collate "C" not null, "batch" text collate "C" not null, "processing_state" text not null default 'pending', "processed_at" timestamptz(3) null, "process_error" text null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "conversation_list" on "conversation" ("organization_id", "id");`);
    this.addSql(`create index "conversation_source" on "conversation" ("organization_id", "source", "id");`);
    this.addSql(`create index "conversation_pending" on "conversation" ("batch", "external_id") where "processing_state" <> 'complete';`);
    this.addSql(`alter table "conversation" add constraint "conversation_external_id" unique ("organization_id", "source", "external_id");`);

    this.addSql(`create table "conversation_issue" ("id" text collate "C" not null, "organization_id" text collate "C" not null, "conversation_id" text collate "C" not null, "cluster_id" text collate "C" null, "title" text not null, "summary" text not null, "terms" jsonb not null, "week" int not null, "created_at" timestamptz(3) not null, "ingested_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "conversation_issue_list" on "conversation_issue" ("organization_id", "id");`);
    this.addSql(`create index "conversation_issue_conversation" on "conversation_issue" ("conversation_id", "id");`);
    this.addSql(`create index "conversation_issue_cluster" on "conversation_issue" ("cluster_id", "id");`);

    this.addSql(`create table "agent_instructions" ("organization_id" text collate "C" not null, "instructions" jsonb not null, "updated_by_id" text collate "C" null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("organization_id"));`);
    this.addSql(`create index "agent_instructions_updated_by_id_index" on "agent_instructions" ("updated_by_id");`);

    this.addSql(`drop index "change_request_cluster";`);
    this.addSql(`alter table "change_request" drop column "conversations_issues_cluster";`);
    this.addSql(`alter table "change_request" add "conversations_issues_cluster_id" text collate "C" null;`);
    this.addSql(`alter table "change_request" add constraint "change_request_conversations_issues_cluster_id_foreign" foreign key ("conversations_issues_cluster_id") references "issues_cluster" ("id") on delete set null;`);
    this.addSql(`create index "change_request_cluster" on "change_request" ("organization_id", "conversations_issues_cluster_id", "id") where "conversations_issues_cluster_id" is not null;`);

    this.addSql(`alter table "issue_term" add constraint "issue_term_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);

    this.addSql(`alter table "issues_cluster" add constraint "issues_cluster_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);

    this.addSql(`alter table "issues_cluster_term" add constraint "issues_cluster_term_cluster_id_foreign" foreign key ("cluster_id") references "issues_cluster" ("id") on delete cascade;`);
    this.addSql(`alter table "issues_cluster_term" add constraint "issues_cluster_term_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);

    this.addSql(`alter table "issue_index" add constraint "issue_index_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update cascade on delete cascade;`);

    this.addSql(`alter table "conversation" add constraint "conversation_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`alter table "conversation" add constraint "conversation_processing_state_check" check ("processing_state" in ('pending', 'progress', 'complete'));`);

    this.addSql(`alter table "conversation_issue" add constraint "conversation_issue_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`alter table "conversation_issue" add constraint "conversation_issue_conversation_id_foreign" foreign key ("conversation_id") references "conversation" ("id") on delete cascade;`);
    this.addSql(`alter table "conversation_issue" add constraint "conversation_issue_cluster_id_foreign" foreign key ("cluster_id") references "issues_cluster" ("id") on delete set null;`);

    this.addSql(`alter table "agent_instructions" add constraint "agent_instructions_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update cascade on delete cascade;`);
    this.addSql(`alter table "agent_instructions" add constraint "agent_instructions_updated_by_id_foreign" foreign key ("updated_by_id") references "user" ("id") on delete set null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "issues_cluster_term" drop constraint "issues_cluster_term_cluster_id_foreign";`);
    this.addSql(`alter table "conversation_issue" drop constraint "conversation_issue_cluster_id_foreign";`);
    this.addSql(`alter table "change_request" drop constraint "change_request_conversations_issues_cluster_id_foreign";`);
    this.addSql(`alter table "conversation_issue" drop constraint "conversation_issue_conversation_id_foreign";`);

    this.addSql(`drop table if exists "issue_term" cascade;`);
    this.addSql(`drop table if exists "issues_cluster" cascade;`);
    this.addSql(`drop table if exists "issues_cluster_term" cascade;`);
    this.addSql(`drop table if exists "issue_index" cascade;`);
    this.addSql(`drop table if exists "conversation" cascade;`);
    this.addSql(`drop table if exists "conversation_issue" cascade;`);
    this.addSql(`drop table if exists "agent_instructions" cascade;`);

    this.addSql(`drop index "change_request_cluster";`);
    this.addSql(`alter table "change_request" drop column "conversations_issues_cluster_id";`);
    this.addSql(`alter table "change_request" add "conversations_issues_cluster" text null;`);
    this.addSql(`create index "change_request_cluster" on "change_request" ("organization_id", "conversations_issues_cluster", "id") where "conversations_issues_cluster" is not null;`);
  }

}
