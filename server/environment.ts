import ipaddr from 'ipaddr.js';
import addressparser from 'nodemailer/lib/addressparser';
import { z } from 'zod';
import { normalizeAccountEmail } from '../routers/base/email-addresses.ts';
import { ISSUE_ENGINES, TRANSLATION_ENGINES } from '../schema/enums.ts';
import { SearchUrl } from './search/settings.ts';
import { BucketUrl } from './storage/bucket-settings.ts';

/** A base URL as browsers write it, but without a trailing slash, since paths are appended to it. */
const BaseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine((url) => !/[?#]/.test(url), { error: 'must not have a query or a fragment' })
  .transform((url) => new URL(url).href.replace(/(?<!\/)\/+$/, ''));

/** The base of all URLs in responses, which everybody may read. */
const PublicUrl = BaseUrl.refine((url) => !/^https?:\/\/[^/]*@/.test(url), {
  error: 'must not have a user name or a password',
});

const Integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().int().min(min).max(max));

/** Whether a text is an origin as browsers send it: without a path, a trailing slash or the default port. */
const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;

/** A DNS name, lower-cased. */
const Domain = z
  .string()
  .toLowerCase()
  .max(220)
  .regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be a domain');

/** One e-mail address with or without a name: the library sends mail without a sender if it finds none. */
function isSender(text: string): boolean {
  const [sender, ...others] = addressparser(text);
  return (
    sender?.address !== undefined &&
    others.length === 0 &&
    normalizeAccountEmail(sender.address) !== undefined
  );
}

/** A secret that is sent as a bearer token. */
const Secret = z
  .string()
  .min(32, 'must have at least 32 characters, for example the output of `openssl rand -hex 32`')
  .max(256)
  .regex(/^[\w.~+/=-]+$/, 'may contain only the characters of a bearer token');

/** The URL of a provider, to which secrets are sent: without TLS only on this machine. */
const ProviderUrl = z
  .url({ protocol: /^https?$/, error: 'must be an https:// URL', abort: true })
  .max(500)
  .refine((url) => /^https:|^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/.test(url), {
    error: 'must be an https:// URL',
  });

/** A header with a percent-encoded value, as the OpenTelemetry specification defines it. */
const HEADER = /^\s*[\w-]+\s*=(?:[^%]|%[0-7][0-9a-fA-F])+$/;

function headerOf(pair: string): [name: string, value: string] {
  const [name = '', ...value] = pair.split('=');
  return [name.trim(), decodeURIComponent(value.join('=').trim())];
}

const SignUp = z.enum(['invited', 'anyone']).default('invited');

/** `github` is reserved: GitHub is configured by separate variables. */
const ProviderName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,30}$/, 'must be lower-case letters, digits and hyphens')
  .refine((name) => name !== 'github', 'must not be "github", which is configured by separate variables');

const OidcProvider = z.strictObject({
  name: ProviderName,
  label: z.string().min(1).max(64).optional(),
  issuer: ProviderUrl,
  clientId: z.string().min(1).max(256),
  clientSecret: z.string().min(1).max(1000),
  signUp: SignUp,
});

function jsonOf(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be JSON: a list of providers' });
    return z.NEVER;
  }
}

/** The environment variables, validated and with defaults. */
export const Environment = z
  .object({
    PORT: Integer(0, 65535).default(3000),
    HOST: z.string().min(1).default('127.0.0.1'),
    DATA_DIR: z.string().min(1).default('./data'),
    DATABASE_URL: z
      .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL', abort: true })
      .refine((url) => new URL(url).pathname.length > 1, {
        error: 'must name a database: postgres://user:password@host/database',
      })
      .optional(),
    FILES_URL: BucketUrl.optional(),
    AWS_REGION: z.string().max(64).optional(),
    AWS_ACCESS_KEY_ID: z.string().max(256).optional(),
    AWS_SECRET_ACCESS_KEY: z.string().max(256).optional(),
    AWS_SESSION_TOKEN: z.string().max(10_000).optional(),
    DATABASE_POOL: Integer(2, 1000).default(10),
    DATABASE_PREPARE: z.enum(['true', 'false']).default('true'),
    DATABASE_WAIT: Integer(100, 600_000).default(10_000),
    DATABASE_TIMEOUT: Integer(100, 3_600_000).default(30_000),
    DATABASE_LOCK_TIMEOUT: Integer(100, 3_600_000).default(10_000),
    PUBLIC_URL: PublicUrl.optional(),
    SITES_DOMAIN: Domain.optional(),
    BOOTSTRAP_TOKEN: Secret.optional(),
    METRICS_TOKEN: Secret.optional(),
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).optional(),
    RATE_LIMIT: Integer(0, 1_000_000).default(0),
    OTEL_EXPORTER_OTLP_ENDPOINT: BaseUrl.optional(),
    OTEL_EXPORTER_OTLP_HEADERS: z
      .string()
      .max(10_000)
      .transform((text) => text.split(',').filter((pair) => pair.trim() !== ''))
      .refine((pairs) => pairs.every((pair) => HEADER.test(pair)), {
        error: 'must be headers such as authorization=Bearer%20abc, separated by commas',
      })
      .transform((pairs) => Object.fromEntries(pairs.map(headerOf)))
      .default({}),
    OTEL_SERVICE_NAME: z.string().max(256).default('colophon'),
    OTEL_TRACES_SAMPLER_ARG: z
      .string()
      .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'must be a number from 0 to 1')
      .transform(Number)
      .default(1),
    EVENT_RETENTION: Integer(1, 3650).default(30),
    AUDIT_RETENTION: Integer(0, 36_500).default(0),
    JOBS: z.enum(['true', 'false']).default('true'),
    SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' }).optional(),
    MAIL_FROM: z
      .string()
      .regex(/^[^\r\n]+$/, { error: 'must be one line', abort: true })
      .refine(isSender, {
        error: 'must be an e-mail address, such as docs@example.com or "Colophon <docs@example.com>"',
      })
      .optional(),
    OIDC_PROVIDERS: z
      .string()
      .transform(jsonOf)
      .pipe(z.array(OidcProvider).max(20))
      .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, {
        error: 'must give each provider a different name',
      })
      .default([]),
    GITHUB_CLIENT_ID: z.string().max(256).optional(),
    GITHUB_CLIENT_SECRET: z.string().max(256).optional(),
    GITHUB_URL: ProviderUrl.default('https://github.com'),
    GITHUB_SIGN_UP: SignUp,
    TRANSLATION_ENGINE: z.enum(TRANSLATION_ENGINES).default('pseudo'),
    CONVERSATION_ENGINE: z.enum(ISSUE_ENGINES).default('keywords'),
    LIBRETRANSLATE_URL: BaseUrl.optional(),
    LIBRETRANSLATE_API_KEY: z.string().max(1000).optional(),
    SEARCH_URL: SearchUrl.optional(),
    MODEL_URL: BaseUrl.optional(),
    MODEL_NAME: z.string().max(256).optional(),
    MODEL_API_KEY: z.string().max(1000).optional(),
    SESSION_LIFETIME: Integer(1, 3650).default(30),
    SESSION_IDLE: Integer(1, 3650).default(7),
    OPENAPI_REFRESH: Integer(0, 1_000_000).default(360),
    MAX_EVENT_LOOP_DELAY: Integer(0, 600_000).default(5000),
    TRUST_PROXY: z
      .string()
      .regex(/^(true|false|\d|10)$/, 'must be true, false, or a number of proxies from 0 to 10')
      .transform((value) => (value === 'true' ? 1 : value === 'false' ? 0 : Number(value)))
      .default(0),
    OUTBOUND_ALLOW: z
      .string()
      .default('')
      .transform((value) => value.split(',').flatMap((range) => range.trim() || []))
      .refine((ranges) => ranges.every((range) => ipaddr.isValidCIDR(range)), {
        error: 'must be IP address ranges such as 10.0.0.0/8, separated by commas',
      }),
    CORS_ORIGINS: z
      .string()
      .default('*')
      .transform((value) => value.split(',').flatMap((origin) => origin.trim() || []))
      .refine((origins) => origins.every((origin) => origin === '*' || isOrigin(origin)), {
        error: 'must be origins such as https://docs.example.com, separated by commas, or *',
      }),
  })
  .refine((env) => !env.SMTP_URL === !env.MAIL_FROM, {
    path: ['MAIL_FROM'],
    error: 'must be set together with SMTP_URL, such as "Colophon <docs@example.com>"',
  })
  .refine((env) => !env.FILES_URL || !env.AWS_ACCESS_KEY_ID === !env.AWS_SECRET_ACCESS_KEY, {
    path: ['AWS_SECRET_ACCESS_KEY'],
    error: 'must be set together with AWS_ACCESS_KEY_ID',
  })
  .refine((env) => !env.GITHUB_CLIENT_ID === !env.GITHUB_CLIENT_SECRET, {
    path: ['GITHUB_CLIENT_SECRET'],
    error: 'must be set together with GITHUB_CLIENT_ID',
  })
  .refine((env) => env.TRANSLATION_ENGINE !== 'libretranslate' || env.LIBRETRANSLATE_URL, {
    path: ['LIBRETRANSLATE_URL'],
    error: 'must be set if TRANSLATION_ENGINE is libretranslate',
  })
  .refine(
    (env) =>
      (env.TRANSLATION_ENGINE !== 'model' && env.CONVERSATION_ENGINE !== 'model') ||
      (env.MODEL_URL && env.MODEL_NAME),
    {
      path: ['MODEL_URL'],
      error: 'must be set together with MODEL_NAME if TRANSLATION_ENGINE or CONVERSATION_ENGINE is model',
    },
  );

export type Environment = z.infer<typeof Environment>;

/** The names of all variables. */
export const VARIABLES: readonly string[] = Object.keys(Environment.shape);
