import type { ClientAuth, Configuration } from 'openid-client';
import type { Logger } from '../routers/base/context.ts';
import type { Identity, IdentityProviders, PendingAuthorization } from '../routers/base/sign-in-ports.ts';
import { DomainError } from '../routers/engine/errors.ts';
import type { ProviderSettings } from './config.ts';

/** How long a request to a provider may take, in seconds. */
const TIME_LIMIT = 10;

/** How long the metadata of a provider is cached, in milliseconds; its keys are fetched again when one is missing. */
const METADATA_AGE = 24 * 3_600_000;

/** Loaded when somebody first signs in with a provider. */
const loadLibrary = () => import('openid-client');

type Library = Awaited<ReturnType<typeof loadLibrary>>;

/** How to find out from one kind of provider who somebody is. */
interface Adapter {
  scope: string;
  /** Its endpoints, from its published metadata or from its documentation. */
  configure(client: Library): Promise<Configuration>;
  identify(
    client: Library,
    config: Configuration,
    callbackUrl: URL,
    pending: PendingAuthorization,
  ): Promise<Identity>;
}

/** A string that a column can hold: well-formed, without control characters; undefined for anything else. */
const columnText = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
        .toWellFormed()
        .replace(/\p{Cc}+/gu, ' ')
        .trim() || undefined
    : undefined;

const isPlainHttp = ({ protocol }: URL) => protocol === 'http:';

/** A subject identifier (OpenID Connect Core, section 2). */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

/** Sends the client secret the way the issuer supports: by default in a header. */
function authentication({ ClientSecretBasic, ClientSecretPost }: Library, secret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (methods.includes('client_secret_basic') ? basic : post)(server, ...request);
  };
}

/** An issuer that publishes its metadata (OpenID Connect Discovery). */
const oidcAdapter = ({ issuer, clientId, clientSecret }: ProviderSettings): Adapter => ({
  scope: 'openid email profile',
  configure: (client) =>
    client.discovery(new URL(issuer), clientId, undefined, authentication(client, clientSecret), {
      timeout: TIME_LIMIT,
      // Verify the signature of ID tokens even though they come straight from the issuer.
      execute: [
        // guard: provider-signed-tokens
        client.enableNonRepudiationChecks,
        ...(isPlainHttp(new URL(issuer)) ? [client.allowInsecureRequests] : []),
      ],
    }),
  async identify(client, config, callbackUrl, { state, nonce, verifier }) {
    const tokens = await client.authorizationCodeGrant(config, callbackUrl, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Error('there is no ID token');
    if (!SUBJECT.test(claims.sub)) throw new Error('the subject is not valid');
    // Some issuers give e-mail addresses only at the userinfo endpoint.
    const hasEmail = 'email' in claims || config.serverMetadata().userinfo_endpoint === undefined;
    const profile = hasEmail ? claims : await client.fetchUserInfo(config, tokens.access_token, claims.sub);
    return {
      issuer: claims.iss,
      subject: claims.sub,
      // guard: provider-claims-verified
      email: profile.email_verified === true ? columnText(profile.email) : undefined,
      name: columnText(profile.name) ?? columnText(profile.preferred_username),
    };
  },
});

/** GitHub, whose OAuth 2.0 has no ID tokens: its API says who somebody is. */
const githubAdapter = ({ issuer: base, clientId, clientSecret }: ProviderSettings): Adapter => {
  const issuer = `${base}/login/oauth`;
  const api = base === 'https://github.com' ? 'https://api.github.com' : `${base}/api/v3`;
  return {
    scope: 'read:user user:email',
    async configure(client) {
      const metadata = {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/access_token`,
      };
      const config = new client.Configuration(
        metadata,
        clientId,
        undefined,
        client.ClientSecretPost(clientSecret),
      );
      config.timeout = TIME_LIMIT;
      if (isPlainHttp(new URL(base))) client.allowInsecureRequests(config);
      return config;
    },
    async identify(client, config, callbackUrl, { state, verifier }) {
      const tokens = await client.authorizationCodeGrant(config, callbackUrl, {
        // guard: provider-github-state
        expectedState: state,
        pkceCodeVerifier: verifier,
      });
      const read = async (path: string): Promise<unknown> => {
        const url = new URL(`${api}${path}`);
        const headers = new Headers({ accept: 'application/vnd.github+json' });
        const response = await client.fetchProtectedResource(
          config,
          tokens.access_token,
          url,
          'GET',
          null,
          headers,
        );
        if (!response.ok) throw new Error(`${path} responds with status ${response.status}`);
        return response.json();
      };
      const [user, emails] = await Promise.all([read('/user'), read('/user/emails')]);
      const { id, name, login } = user as Record<string, unknown>;
      if (!Number.isSafeInteger(id)) throw new Error('/user has no id');
      const primary = (Array.isArray(emails) ? emails : []).find(
        // guard: provider-github-address
        (one) => one?.primary === true && one.verified === true,
      );
      return {
        issuer,
        subject: String(id),
        email: columnText(primary?.email),
        name: columnText(name) ?? columnText(login),
      };
    },
  };
};

/** The log fields of a failure, with neither the request nor the claims of a person. */
const logFields = (error: unknown) =>
  error instanceof Error
    ? { reason: error.message, code: (error as { code?: unknown }).code }
    : { reason: String(error) };

/** Whether an error means that a provider did not respond. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'TimeoutError' || error.name === 'AbortError' || error.message === 'fetch failed');

/** Signs people in with the configured providers. The metadata of each is fetched when it is first used. */
export function createIdentityProviders(
  settings: readonly ProviderSettings[],
  logger: Pick<Logger, 'warn'>,
): IdentityProviders {
  const providers = new Map(settings.map((given) => [given.name, open(given, logger)]));
  const find = (name: string) => {
    const provider = providers.get(name);
    if (!provider) throw new DomainError('not-found', 'There is no such identity provider.');
    return provider;
  };
  return {
    list: settings.map(({ name, label, signUp }) => ({ name, label, signUp })),
    start: (name, request) => find(name).start(request),
    finish: (name, callbackUrl, pending) => find(name).finish(callbackUrl, pending),
  };
}

interface Provider {
  start(request: Parameters<IdentityProviders['start']>[1]): Promise<string>;
  finish(callbackUrl: string, pending: PendingAuthorization): Promise<Identity>;
}

function open(settings: ProviderSettings, logger: Pick<Logger, 'warn'>): Provider {
  const { name, label, kind } = settings;
  const adapter = kind === 'github' ? githubAdapter(settings) : oidcAdapter(settings);
  let metadata: { config: Promise<Configuration>; until: number } | undefined;

  async function loadConfiguration(client: Library): Promise<Configuration> {
    if (!metadata || metadata.until < Date.now()) {
      const config = adapter.configure(client);
      const reading = { config, until: Date.now() + METADATA_AGE };
      metadata = reading;
      // After a failure, the next caller tries again.
      config.catch(() => {
        if (metadata === reading) metadata = undefined;
      });
    }
    return metadata.config;
  }

  const unavailable = (error: unknown) => {
    logger.warn({ provider: name, ...logFields(error) }, 'an identity provider is not available');
    return new DomainError('unavailable', `${label} cannot be reached right now; try again later.`);
  };

  return {
    async start({ state, nonce, verifier, redirectUrl }) {
      const client = await loadLibrary();
      const config = await loadConfiguration(client).catch((error: unknown) => {
        throw unavailable(error);
      });
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUrl,
        scope: adapter.scope,
        state,
        ...(kind === 'oidc' && { nonce }),
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return url.href;
    },
    async finish(callbackUrl, pending) {
      const client = await loadLibrary();
      const config = await loadConfiguration(client).catch((error: unknown) => {
        throw unavailable(error);
      });
      try {
        return await adapter.identify(client, config, new URL(callbackUrl), pending);
      } catch (error) {
        if (isUnreachable(error)) throw unavailable(error);
        logger.warn(
          { provider: name, ...logFields(error) },
          'a sign-in by an identity provider was rejected',
        );
        throw new DomainError('unauthenticated', `${label} did not sign you in.`);
      }
    },
  };
}
