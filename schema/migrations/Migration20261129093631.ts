import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Migration } from '@mikro-orm/migrations';

/** How many texts are converted by a statement; the longest have megabytes. */
const BATCH = 50;

/** Stores the texts of searches without compressing them beforehand: it is PostgreSQL that compresses long values. */
export class Migration20261129093631 extends Migration {

  override name = 'Migration20261129093631';

  override async up(): Promise<void> {
    await this.execute(`alter table "search_document" add "text" text null;`);
    await this.#convert('body', (body) => inflateRawSync(body as Buffer).toString(), `"text" = given.value`);
    await this.execute(`alter table "search_document" alter column "text" set not null;`);
    await this.execute(`alter table "search_document" drop column "body";`);
  }

  override async down(): Promise<void> {
    await this.execute(`alter table "search_document" add "body" bytea null;`);
    await this.#convert(
      'text',
      (text) => deflateRawSync(text as string).toString('base64'),
      `"body" = decode(given.value, 'base64')`,
    );
    await this.execute(`alter table "search_document" alter column "body" set not null;`);
    await this.execute(`alter table "search_document" drop column "text";`);
  }

  /** Converts a column of all documents, in batches. */
  async #convert(from: 'body' | 'text', convert: (value: unknown) => string, assignment: string): Promise<void> {
    for (let last: unknown[] = ['', 0]; ; ) {
      const rows = await this.execute(
        `select "organization_id", "number", "${from}" as "value" from "search_document" where ("organization_id", "number") > (?, ?) order by "organization_id", "number" limit ${BATCH}`,
        last,
      );
      const end = rows.at(-1);
      if (!end) return;
      const given = rows.map(({ value, ...key }) => ({ ...key, value: convert(value) }));
      await this.execute(
        `update "search_document" set ${assignment}
         from json_to_recordset(?::json) as given(organization_id text, number int, value text)
         where "search_document"."organization_id" = given.organization_id and "search_document"."number" = given.number`,
        [JSON.stringify(given)],
      );
      last = [end['organization_id'], end['number']];
    }
  }

}
