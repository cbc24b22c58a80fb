import { isIPv6, SocketAddress } from 'node:net';
import { resolve } from 'node:path';
import type { SessionLimits } from '../routers/base/context.ts';
import { problemsOf } from '../schema/json/problems.ts';
import { Environment } from './environment.ts';
import { misspeltVariables } from './misspelt-variables.ts';
import type { SearchSettings } from './search/settings.ts';
import type { BucketSettings } from './storage/bucket-settings.ts';
import type { TracingSettings } from './tracing/tracing.ts';

const DAY = 24 * 3600 * 1000;

/** An identity provider that people sign in with. */
export interface ProviderSettings {
  kind: 'oidc' | 'github';
  name: string;
  label: string;
  /** The OpenID Connect issuer, or the URL of GitHub. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  signUp: 'invited' | 'anyone';
}

/** The translation engine, and where its requests go. */
export type TranslationSettings =
  | { engine: 'pseudo' }
  | { engine: 'libretranslate'; url: string; apiKey: string | undefined }
  | ModelSettings;

/** A language model behind an OpenAI-compatible API. */
export interface ModelSettings {
  engine: 'model';
  /** The base URL of the API, such as `http://localhost:11434/v1`. */
  url: string;
  model: string;
  apiKey: string | undefined;
}

/** The engine that finds issues in conversations, and where its requests go. */
export type IssueSettings = { engine: 'keywords' } | ModelSettings;

/** The configuration, validated and with defaults. */
export interface Config {
  /** TCP port; 0 lets the system choose. */
  port: number;
  host: string;
  /** Absolute path of the folder for the embedded database, uploaded files and PDFs being made. */
  dataDir: string;
  /** An existing PostgreSQL; without it, one is run in `dataDir`. */
  databaseUrl?: string;
  /** The bucket that stores files; without it, they are stored in `dataDir`. */
  bucket?: BucketSettings;
  /** Database connections of this process. */
  databasePool: number;
  /** Whether connections prepare frequent statements by name; some poolers lose them. */
  databasePrepare: boolean;
  /** How long a request waits for a connection, in milliseconds, before it gets 503. */
  databaseWait: number;
  /** How long a statement of a request may run, or its transaction be idle, in milliseconds. */
  databaseTimeout: number;
  /** How long a statement waits for a lock, in milliseconds. */
  databaseLockTimeout: number;
  /** Base URL of all URLs in responses; derived from the port if not set. */
  publicUrl?: string;
  /** The domain whose subdomains are the hosts of organizations. */
  sitesDomain?: string;
  /** The first admin token, instead of a random one. */
  bootstrapToken?: string;
  /** Bearer token required for `/metrics`; without it, anyone may read them. */
  metricsToken?: string;
  logLevel: string;
  /** Where traces are sent; without it, none are recorded. */
  tracing?: TracingSettings;
  /** Requests per minute for each caller; 0 means no limit. */
  rateLimit: number;
  /** How long events and webhook deliveries are kept, in days. */
  eventRetention: number;
  /** How long audit events are kept, in days; 0 keeps them forever. */
  auditRetention: number;
  /** Whether a process that serves requests also runs background jobs. */
  runsJobs: boolean;
  /** The mail server and the sender's address; without them, no mail is sent. */
  mail?: { url: string; from: string };
  /** The identity providers, in the order of their buttons. */
  identityProviders: ProviderSettings[];
  /** How long sessions last, in milliseconds. */
  sessionLimits: SessionLimits;
  /** How often OpenAPI specs are fetched again from their URLs, in minutes; 0 for never. */
  specRefresh: number;
  /** The event loop delay, in milliseconds, above which new requests get 503; 0 means no limit. */
  maxEventLoopDelay: number;
  /** The number of proxies in front of the service, each of which adds an address to `X-Forwarded-For`. */
  trustedProxies: number;
  /** Private ranges (CIDR) from which the service may fetch URLs given by callers. */
  outboundAllow: string[];
  translation: TranslationSettings;
  issues: IssueSettings;
  search?: SearchSettings;
  /** Origins whose pages may call the API; `*` is any. */
  corsOrigins: string[];
  /** What is probably a mistake, as sentences to be logged. */
  warnings: string[];
}

export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Reads the configuration. An empty variable counts as not set.
 * @param defaults those that differ between the service and tools
 * @throws ConfigError that names each variable with a bad value.
 */
export function readConfig(
  environment: Record<string, string | undefined> = process.env,
  defaults: Pick<Config, 'logLevel'> = { logLevel: 'info' },
): Config {
  const variables = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(variables);
  if (!parsed.success) {
    const problems = problemsOf(parsed.error).map(({ path, message }) => `  ${path.join('.')}: ${message}`);
    throw new ConfigError(`The configuration is not valid:\n${problems.join('\n')}`);
  }
  const env = parsed.data;
  return {
    port: env.PORT,
    host: addressOf(env.HOST),
    dataDir: resolve(env.DATA_DIR),
    databaseUrl: env.DATABASE_URL,
    ...(env.FILES_URL && { bucket: { ...env.FILES_URL, ...bucketAccess(env) } }),
    databasePool: env.DATABASE_POOL,
    databasePrepare: env.DATABASE_PREPARE === 'true',
    databaseWait: env.DATABASE_WAIT,
    databaseTimeout: env.DATABASE_TIMEOUT,
    databaseLockTimeout: env.DATABASE_LOCK_TIMEOUT,
    publicUrl: env.PUBLIC_URL,
    sitesDomain: env.SITES_DOMAIN,
    bootstrapToken: env.BOOTSTRAP_TOKEN,
    metricsToken: env.METRICS_TOKEN,
    logLevel: env.LOG_LEVEL ?? defaults.logLevel,
    ...(env.OTEL_EXPORTER_OTLP_ENDPOINT && { tracing: tracingOf(env, env.OTEL_EXPORTER_OTLP_ENDPOINT) }),
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
    warnings: misspeltVariables(environment),
  };
}

const tracingOf = (env: Environment, endpoint: string): TracingSettings => ({
  url: `${endpoint}/v1/traces`,
  headers: env.OTEL_EXPORTER_OTLP_HEADERS,
  serviceName: env.OTEL_SERVICE_NAME,
  ratio: env.OTEL_TRACES_SAMPLER_ARG,
});

/** The region and the credentials, from the variables that Amazon's own tools use. */
function bucketAccess({
  FILES_URL,
  AWS_REGION,
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  AWS_SESSION_TOKEN: sessionToken,
}: Environment): Pick<BucketSettings, 'region' | 'credentials'> {
  const keys = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;
  return {
    region: FILES_URL?.region ?? AWS_REGION ?? 'us-east-1',
    credentials: keys && { ...keys, ...(sessionToken && { sessionToken }) },
  };
}

function translationOf(env: Environment): TranslationSettings {
  const { TRANSLATION_ENGINE: engine, LIBRETRANSLATE_URL } = env;
  if (engine === 'libretranslate' && LIBRETRANSLATE_URL)
    return { engine, url: LIBRETRANSLATE_URL, apiKey: env.LIBRETRANSLATE_API_KEY };
  return (engine === 'model' && modelOf(env)) || { engine: 'pseudo' };
}

function modelOf({
  MODEL_URL: url,
  MODEL_NAME: model,
  MODEL_API_KEY: apiKey,
}: Environment): ModelSettings | undefined {
  return url && model ? { engine: 'model', url, model, apiKey } : undefined;
}

function providersOf(env: Environment): ProviderSettings[] {
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

/** For the name `localhost`, Fastify would open a second server, whose connections nothing limits. */
function addressOf(host: string): string {
  if (host === 'localhost') return '127.0.0.1';
  // In one spelling: `::0` is `::`.
  return isIPv6(host) ? new SocketAddress({ address: host, family: 'ipv6' }).address : host;
}

/** Whether the service listens on all addresses, none of which is the one that others use. */
export const listensEverywhere = ({ host }: Pick<Config, 'host'>): boolean =>
  host === '0.0.0.0' || host === '::';

/**
 * The base URL of the service: PUBLIC_URL, or else the address that it listens on; on all addresses, that of the same machine.
 * @param port the port that it listens on, which may be chosen by the system
 */
export function publicUrlOf({ publicUrl, ...config }: Config, port = config.port): string {
  if (publicUrl !== undefined) return publicUrl;
  const { host } = config;
  const isLocal = host === '127.0.0.1' || host === '::1' || listensEverywhere(config);
  return `http://${isLocal ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
}
