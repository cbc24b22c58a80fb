import { z } from 'zod';
import type { CustomHostname } from '../../schema/entities/custom-hostname.ts';
import { HOSTNAME_STATUSES } from '../../schema/enums.ts';
import type { Presentable } from '../../schema/rows.ts';
import { optionalTime } from '../base/common-schemas.ts';
import type { Urls } from '../base/ports.ts';
import { expectedRecords } from './dns-check.ts';

/** The public object of a custom hostname. */
export const CustomHostnameObject = z
  .object({
    object: z.literal('custom-hostname'),
    hostname: z.string(),
    target: z.union([
      z.object({ type: z.literal('site'), site: z.string() }),
      z.object({ type: z.literal('organization'), organization: z.string() }),
    ]),
    isActive: z
      .boolean()
      .describe(
        'Whether sites are published there: from the first check that succeeds until checks have failed for a week, or another organization proves it.',
      ),
    status: z
      .enum(HOSTNAME_STATUSES)
      .optional()
      .describe('What the last check found; `dns_passed` if another organization has it all the same.'),
    error: z.string().optional().describe('Why the last check did not succeed.'),
    checkedAt: z.string().optional(),
    records: z
      .array(z.object({ type: z.enum(['CNAME', 'TXT']), name: z.string(), value: z.string() }))
      .describe('The DNS records that it needs. An address record may replace the CNAME record.'),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'CustomHostname' });

/** A custom hostname with the subdomain of its organization. */
export type CustomHostnameRow = Presentable<CustomHostname> & { subdomain: string | null };

export function presentCustomHostname(
  row: CustomHostnameRow,
  urls: Urls,
): z.infer<typeof CustomHostnameObject> {
  const { own, subdomain, proof } = expectedRecords(urls.hosting, row);
  return {
    object: 'custom-hostname',
    hostname: row.hostname,
    target: row.site
      ? { type: 'site', site: row.site }
      : { type: 'organization', organization: row.organization },
    isActive: row.isActive,
    status: row.status ?? undefined,
    error: row.error ?? undefined,
    checkedAt: optionalTime(row.checkedAt),
    records:
      subdomain === undefined
        ? [
            { type: 'CNAME', name: row.hostname, value: own },
            { type: 'TXT', name: proof.name, value: proof.text },
          ]
        : [{ type: 'CNAME', name: row.hostname, value: subdomain }],
    urls: { location: urls.location('custom-hostnames', row.hostname) },
  };
}
