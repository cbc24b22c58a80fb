import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import type { SessionLimits } from '../routers/base/context.ts';
import { ISSUE_ENGINES, TRANSLATION_ENGINES } from '../schema/enums.ts';
import { problemsOf } from '../schema/json/problems.ts';
import { type SearchSettings, SearchUrl } from './search/settings.ts';

const DAY = 24 * 3600 * 1000;

/** Paths are appended to base URLs, so they are stored without a trailing slash. */
const BaseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine((url) => !/[?#]/.test(url), { error: 'must not have a query or a fragment' })
  .transform((url) => url.replace(/(?<!\/)\/+$/, ''));

const Integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().int().min(min).max(max));

/** As browsers send it: without a path, a trailing slash or the standard port. */
const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;

/** A name in the DNS, in any case. */
const Domain = z
  .string()
  .toLowerCase()
  .max(220)
  .regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be a domain');

/** A secret that is sent as a bearer token. */
const Secret = z
  .string()
  .min(32, 'must have at least 32 characters, for example the output of `openssl rand -hex 32`')
  .max(256)
  .regex(/^[\w.~+/=-]+$/, 'may hold only the characters of a bearer token');

/** The URL of a provider, to which secrets are sent: only on this machine without TLS. */
const ProviderUrl = z
  .url({ protocol: /^https?$/, error: 'must be an https:// URL', abort: true })
  .max(500)
  .refine((url) => /^https:|^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/.test(url), {
    error: 'must be an https:// URL',
  });

const SignUp = z.enum(['invited', 'anyone']).default('invited');

/** `github` is that of the variables for it. */
const ProviderName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,30}$/, 'must be lower-case letters, digits and hyphens')
  .refine((name) => name !== 'github', 'must not be "github", which has variables of its own');

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

const Environment = z
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
    DATABASE_POOL: Integer(2, 1000).default(10),
    DATABASE_PREPARE: z.enum(['true', 'false']).default('true'),
    DATABASE_WAIT: Integer(100, 600_000).default(10_000),
    DATABASE_TIMEOUT: Integer(100, 3_600_000).default(30_000),
    DATABASE_LOCK_TIMEOUT: Integer(100, 3_600_000).default(10_000),
    PUBLIC_URL: BaseUrl.optional(),
    SITES_DOMAIN: Domain.optional(),
    BOOTSTRAP_TOKEN: Secret.optional(),
    METRICS_TOKEN: Secret.optional(),
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    RATE_LIMIT: Integer(0, 1_000_000).default(0),
    EVENT_RETENTION: Integer(1, 3650).default(30),
    AUDIT_RETENTION: Integer(0, 36_500).default(0),
    JOBS: z.enum(['true', 'false']).default('true'),
    SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' }).optional(),
    MAIL_FROM: z
      .string()
      .regex(/^[^\r\n]+$/, 'must be one line')
      .optional(),
    OIDC_PROVIDERS: z
      .string()
      .transform(jsonOf)
      .pipe(z.array(OidcProvider).max(20))
      .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, {
        error: 'must give each provider a name of its own',
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
      .enum(['true', 'false'])
      .transform((value) => (value === 'true' ? 1 : 0))
      .or(Integer(0, 10))
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

/** A provider that people sign in with. */
export interface ProviderSettings {
  kind: 'oidc' | 'github';
  name: string;
  label: string;
  /** The issuer of OpenID Connect, or the URL of GitHub. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  signUp: 'invited' | 'anyone';
}

/** What translates, and where its requests go. */
export type TranslationSettings =
  | { engine: 'pseudo' }
  | { engine: 'libretranslate'; url: string; apiKey: string | undefined }
  | ModelSettings;

/** A language model behind an OpenAI-compatible API. */
export interface ModelSettings {
  engine: 'model';
  /** The base of the API, such as `http://localhost:11434/v1`. */
  url: string;
  model: string;
  apiKey: string | undefined;
}

/** What finds the issues of conversations, and where its requests go. */
export type IssueSettings = { engine: 'keywords' } | ModelSettings;

/** The configuration, validated and with defaults. */
export interface Config {
  /** TCP port; 0 lets the system choose. */
  port: number;
  host: string;
  /** Absolute path of the folder that holds the embedded database and the uploaded files. */
  dataDir: string;
  /** An existing PostgreSQL; without it one is embedded under `dataDir`. */
  databaseUrl?: string;
  /** Database connections of this process. */
  databasePool: number;
  /** Whether connections prepare hot statements by name; some poolers do not keep them. */
  databasePrepare: boolean;
  /** How long a request waits for a connection, in milliseconds, before it gets 503. */
  databaseWait: number;
  /** How long a statement of a request may run, or its transaction be idle, in milliseconds. */
  databaseTimeout: number;
  /** How long a statement waits for what others have locked, in milliseconds. */
  databaseLockTimeout: number;
  /** Base of all URLs in responses; derived from the port if not set. */
  publicUrl?: string;
  /** The domain whose subdomains are the hosts of organizations. */
  sitesDomain?: string;
  /** The first admin token, instead of a random one. */
  bootstrapToken?: string;
  /** Bearer token required for `/metrics`; without it, anyone may read them. */
  metricsToken?: string;
  logLevel: string;
  /** Requests per minute for each caller; 0 means no limit. */
  rateLimit: number;
  /** How long events and webhook deliveries are kept, in days. */
  eventRetention: number;
  /** How long audit events are kept, in days; 0 for ever. */
  auditRetention: number;
  /** Whether a process that serves requests runs background jobs, too. */
  runsJobs: boolean;
  /** The server that sends mail, and whom mail is from; without them, the service sends none. */
  mail?: { url: string; from: string };
  /** The providers that people sign in with, in the order of their buttons. */
  identityProviders: ProviderSettings[];
  /** How long sessions last, in milliseconds. */
  sessionLimits: SessionLimits;
  /** How long after it was fetched an OpenAPI specification is fetched again, in minutes; 0 for never. */
  specRefresh: number;
  /** Beyond this delay of the event loop, in milliseconds, new requests get 503; 0 means no limit. */
  maxEventLoopDelay: number;
  /** How many proxies stand before the service, each of which adds an address to `X-Forwarded-For`. */
  trustedProxies: number;
  /** Private ranges, as CIDR, that the service may fetch URLs of callers from. */
  outboundAllow: string[];
  translation: TranslationSettings;
  issues: IssueSettings;
  search?: SearchSettings;
  /** Origins whose pages may call the API; `*` is any. */
  corsOrigins: string[];
}

export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Reads the configuration. An empty variable counts as not set.
 * @throws ConfigError that names each variable with a bad value.
 */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    const problems = problemsOf(parsed.error).map(({ path, message }) => `  ${path.join('.')}: ${message}`);
    throw new ConfigError(`The configuration is not valid:\n${problems.join('\n')}`);
  }
  const env = parsed.data;
  return {
    port: env.PORT,
    host: env.HOST,
    dataDir: resolve(env.DATA_DIR),
    databaseUrl: env.DATABASE_URL,
    databasePool: env.DATABASE_POOL,
    databasePrepare: env.DATABASE_PREPARE === 'true',
    databaseWait: env.DATABASE_WAIT,
    databaseTimeout: env.DATABASE_TIMEOUT,
    databaseLockTimeout: env.DATABASE_LOCK_TIMEOUT,
    publicUrl: env.PUBLIC_URL,
    sitesDomain: env.SITES_DOMAIN,
    bootstrapToken: env.BOOTSTRAP_TOKEN,
    metricsToken: env.METRICS_TOKEN,
    logLevel: env.LOG_LEVEL,
    rateLimit: env.RATE_LIMIT,
    eventRetention: env.EVENT_RETENTION,
    auditRetention: env.AUDIT_RETENTION,
    runsJobs: env.JOBS === 'true',
    ...(env.SMTP_URL && env.MAIL_FROM && { mail: { url: env.SMTP_URL, from: env.MAIL_FROM } }),
    identityProviders: providersOf(env),
    sessionLimits: { lifetime: env.SESSION_LIFETIME * DAY, idle: env.SESSION_IDLE * DAY },
    specRefresh: env.OPENAPI_REFRESH,
    maxEventLoopDelay: env.MAX_EVENT_LOOP_DELAY,
    trustedProxies: env.TRUST_PROXY,
    outboundAllow: env.OUTBOUND_ALLOW,
    translation: translationOf(env),
    issues: (env.CONVERSATION_ENGINE === 'model' && modelOf(env)) || { engine: 'keywords' },
    ...(env.SEARCH_URL && { search: env.SEARCH_URL }),
    corsOrigins: env.CORS_ORIGINS,
  };
}

function translationOf(env: z.infer<typeof Environment>): TranslationSettings {
  const { TRANSLATION_ENGINE: engine, LIBRETRANSLATE_URL } = env;
  if (engine === 'libretranslate' && LIBRETRANSLATE_URL)
    return { engine, url: LIBRETRANSLATE_URL, apiKey: env.LIBRETRANSLATE_API_KEY };
  return (engine === 'model' && modelOf(env)) || { engine: 'pseudo' };
}

function modelOf({
  MODEL_URL: url,
  MODEL_NAME: model,
  MODEL_API_KEY: apiKey,
}: z.infer<typeof Environment>): ModelSettings | undefined {
  return url && model ? { engine: 'model', url, model, apiKey } : undefined;
}

function providersOf(env: z.infer<typeof Environment>): ProviderSettings[] {
  const { GITHUB_CLIENT_ID: clientId, GITHUB_CLIENT_SECRET: clientSecret } = env;
  const oidc = env.OIDC_PROVIDERS.map(
    ({ label, ...provider }): ProviderSettings => ({
      kind: 'oidc',
      label: label ?? provider.name,
      ...provider,
    }),
  );
  if (!clientId || !clientSecret) return oidc;
  const issuer = env.GITHUB_URL.replace(/\/$/, '');
  const signUp = env.GITHUB_SIGN_UP;
  return [
    ...oidc,
    { kind: 'github', name: 'github', label: 'GitHub', issuer, clientId, clientSecret, signUp },
  ];
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/;

/** Whether other machines may connect to the service. */
export const isOpenToOthers = ({ host }: Config): boolean => !LOOPBACK.test(host);

/** The base URL of a service that listens at an address; from outside, `PUBLIC_URL` tells more. */
export const localUrlOf = (address: string): string => address.replace(/127\.0\.0\.1|\[::1?\]/, 'localhost');

/** The base URL by configuration alone: a port chosen by the system is known only later. */
export const publicUrlOf = ({ publicUrl, port }: Config): string => publicUrl ?? `http://localhost:${port}`;
