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
    object: z.literal('custom-hostname').describe('The type of the object: always `custom-hostname`.'),
    hostname: z.string().describe('A hostname, such as `docs.example.com`.'),
    target: z
      .union([
        z.object({
          type: z.literal('site').describe('The kind of target: one site.'),
          site: z.string().describe('The id of the site.'),
        }),
        z.object({
          type: z.literal('organization').describe('The kind of target: all sites of an organization.'),
          organization: z.string().describe('The id of the organization.'),
        }),
      ])
      .describe('What is published at the hostname.'),
    isActive: z
      .boolean()
      .describe(
        'Whether sites are published there: from the first successful check until checks have failed for a week, or another organization proves that the hostname is its own.',
      ),
    status: z
      .enum(HOSTNAME_STATUSES)
      .optional()
      .describe(
        'The result of the last check; `dns_passed` if it succeeded, but another organization has the hostname.',
      ),
    error: z.string().optional().describe('Why the last check failed.'),
    checkedAt: z.string().optional().describe('When its DNS records were last looked up; absent until then.'),
    records: z
      .array(
        z.object({
          type: z.enum(['CNAME', 'TXT']).describe('The type of the DNS record.'),
          name: z.string().describe('The name of the DNS record.'),
          value: z.string().describe('The value that the DNS record must have.'),
        }),
      )
      .describe('The DNS records that it needs. An A or AAAA record may replace the CNAME record.'),
    urls: z
      .object({ location: z.string().describe('The URL of the object in this API.') })
      .describe('The URLs of the object.'),
  })
  .meta({
    id: 'CustomHostname',
    description: "An organization's own hostname, and the DNS records that it needs.",
  });

/** A custom hostname with the subdomain of its organization. */
export type CustomHostnameRow = Presentable<CustomHostname> & { subdomain: string | null };

export function presentCustomHostname(
  row: CustomHostnameRow,
  urls: Urls,
): z.infer<typeof CustomHostnameObject> {
  const { serviceHost, subdomain, proof } = expectedRecords(urls.hosting, row);
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
            { type: 'CNAME', name: row.hostname, value: serviceHost },
            { type: 'TXT', name: proof.name, value: proof.text },
          ]
        : [{ type: 'CNAME', name: row.hostname, value: subdomain }],
    urls: { location: urls.location('custom-hostnames', row.hostname) },
  };
}
