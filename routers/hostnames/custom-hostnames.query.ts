import { CustomHostname } from '../../schema/entities/custom-hostname.ts';
import { columnsOf } from '../../schema/rows.ts';
import type { Db } from '../context.ts';

/** Custom hostnames, each with the subdomain of its organization. */
export const selectCustomHostnames = (db: Db) =>
  db
    .selectFrom('custom_hostname')
    .leftJoin('subdomain', 'subdomain.organization_id', 'custom_hostname.organization_id')
    .select(columnsOf(CustomHostname))
    .select('subdomain.subdomain');

export const readCustomHostname = (db: Db, hostname: string) =>
  selectCustomHostnames(db).where('hostname', '=', hostname).executeTakeFirst();
