import { z } from 'zod';

/** The bucket that stores files, and how to access it. */
export interface BucketSettings {
  bucket: string;
  /** The prefix of the keys of all objects: empty, or ending with a slash. */
  prefix: string;
  region: string;
  /** The URL of the server; Amazon's if not set. */
  endpoint: string | undefined;
  /** If not set, the client finds credentials itself, such as those of the machine's role. */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^([\w.-]+\/)*$/;
const Endpoint = z.url({ protocol: /^https?$/ });

/** `s3://bucket/prefix?region=...&endpoint=...` */
export const BucketUrl = z
  .string()
  .max(1000)
  .transform((text, context) => {
    const problem = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (!text.startsWith('s3://') || !URL.canParse(text))
      return problem('must be a URL such as s3://bucket/prefix?region=eu-central-1');
    const { hostname, pathname, port, username, password, hash, searchParams } = new URL(text);
    if (username || password)
      return problem('must not contain credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
    if (!hostname || port || hash) return problem('must name a bucket: s3://bucket');
    if (!BUCKET.test(hostname))
      return problem(
        'must name a bucket with a valid name: 3 to 63 lower-case letters, digits, hyphens and dots, with a letter or digit at both ends',
      );
    const prefix = pathname.split('/').filter(Boolean).join('/');
    if (!PREFIX.test(prefix && `${prefix}/`))
      return problem('must have a prefix of letters, digits, hyphens, dots, underscores and slashes');
    const { region, endpoint, ...others } = Object.fromEntries(searchParams);
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) return problem('may only have the parameters region and endpoint');
    if (endpoint !== undefined && !Endpoint.safeParse(endpoint).success)
      return problem('must have an http or https URL as its endpoint');
    return { bucket: hostname, prefix: prefix && `${prefix}/`, region, endpoint };
  });
