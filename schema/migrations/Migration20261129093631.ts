import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Migration } from '@mikro-orm/migrations';

/** How many texts are converted at once, about a megabyte. */
const BATCH = 200;

/** Stores the texts of searches without compressing them beforehand: it is PostgreSQL that compresses long values. */
export class Migration20261129093631 extends Migration {

  override name = 'Migration20261129093631';

  override async up(): Promise<void> {
    await this.execute(`alter table "search_document" add "text" text null;`);
    await this.#convert('body', 'text', (body) => inflateRawSync(body as Buffer).toString());
    await this.execute(`alter table "search_document" alter column "text" set not null;`);
    await this.execute(`alter table "search_document" drop column "body";`);
  }

  override async down(): Promise<void> {
    await this.execute(`alter table "search_document" add "body" bytea null;`);
    await this.#convert('text', 'body', (text) => deflateRawSync(text as string));
    await this.execute(`alter table "search_document" alter column "body" set not null;`);
    await this.execute(`alter table "search_document" drop column "text";`);
  }

  /** Converts a column of all documents into another, in batches. */
  async #convert(from: 'body' | 'text', to: 'body' | 'text', convert: (value: unknown) => string | Buffer): Promise<void> {
    for (let last: unknown[] = ['', 0]; ; ) {
      const rows = await this.execute(
        `select "organization_id", "number", "${from}" as "value" from "search_document" where ("organization_id", "number") > (?, ?) order by "organization_id", "number" limit ${BATCH}`,
        last,
      );
      for (const { organization_id, number, value } of rows)
        await this.execute(`update "search_document" set "${to}" = ? where "organization_id" = ? and "number" = ?`, [
          convert(value),
          organization_id,
          number,
        ]);
      const end = rows.at(-1);
      if (!end) return;
      last = [end['organization_id'], end['number']];
    }
  }

}
