import { OAuth2Server } from 'oauth2-mock-server';
import { startTestService, type TestService } from '../helpers/service.ts';
import { TestBrowser } from './test-browser.ts';

/** A service with identity providers, which are a real issuer over HTTP and a stand-in for GitHub. Each test decides what they respond. */
export class TestProviders {
  readonly #server: OAuth2Server;
  readonly service: TestService;
  /** Claims that override those of ID tokens. */
  claims: Record<string, unknown> = {};
  /** Changes of what the issuer sends. */
  alter: {
    metadata?: (body: Record<string, unknown>) => void;
    tokens?: (body: Record<string, unknown>) => void;
    redirect?: (url: URL) => void;
  } = {};
  /** What GitHub responds, and the requests that it got. */
  github: { user: object; emails: unknown; tokenRequest?: Record<string, unknown> } = {
    user: {},
    emails: [],
  };
  /** The number of the person who signs in. */
  serial = 0;

  constructor(server: OAuth2Server, service: TestService) {
    this.#server = server;
    this.service = service;
    const { service: endpoints } = server;
    endpoints.on('beforeTokenSigning', ({ payload }) => Object.assign(payload, this.claims));
    endpoints.on('beforeWellKnownOpenIdConfiguration', ({ body }) => this.alter.metadata?.(body));
    endpoints.on('beforeResponse', ({ body }) => this.alter.tokens?.(body));
    endpoints.on('beforeAuthorizeRedirect', ({ url }) => this.alter.redirect?.(url));
    const answer = (path: string, body: () => unknown) =>
      endpoints.addRoute('GET', path, (_request, response) => {
        response.setHeader('content-type', 'application/json').end(JSON.stringify(body()));
      });
    answer('/api/v3/user', () => this.github.user);
    answer('/api/v3/user/emails', () => this.github.emails);
    endpoints.addRoute('POST', '/login/oauth/access_token', (request, response) => {
      this.github.tokenRequest = request.body as Record<string, unknown>;
      const tokens = { access_token: 'gho_1', token_type: 'bearer', scope: 'read:user,user:email' };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(tokens));
    });
  }

  get issuer(): string {
    return this.#server.issuer.url as string;
  }

  /** Makes the providers respond as usual, for another person. */
  reset(): void {
    const serial = ++this.serial;
    const email = `person${serial}@providers.example`;
    this.claims = { sub: `subject-${serial}`, email, email_verified: true, name: 'Jo Reader' };
    this.alter = {};
    this.github = {
      user: { id: serial, login: 'jo' },
      emails: [{ email, primary: true, verified: true }],
    };
  }

  /** Signs in with a provider, as far as that succeeds. */
  async signIn(name = 'acme', query = ''): Promise<TestBrowser> {
    const browser = new TestBrowser(this.service.app);
    const back = await throughIssuer(await browser.leave(`/auth/oidc/${name}/start${query}`));
    if (back.origin !== 'http://docs.test') throw new Error(`redirected to ${back.origin}`);
    await browser.open(pathOf(back));
    return browser;
  }

  usersWith(email: unknown) {
    return this.service.runtime.database.db
      .selectFrom('user')
      .select(['id', 'display_name as name', 'email_verified_at as verifiedAt'])
      .where('email', '=', String(email))
      .execute();
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.#server.stop();
  }
}

export async function startProviders(): Promise<TestProviders> {
  const server = new OAuth2Server();
  await server.issuer.keys.generate('RS256');
  await server.start(0, 'localhost');
  const url = server.issuer.url as string;
  const provider = { issuer: url, clientId: 'docs', clientSecret: 'secret' };
  const service = await startTestService({
    OIDC_PROVIDERS: JSON.stringify([
      { ...provider, name: 'acme', label: 'Acme & Co' },
      { ...provider, name: 'open', signUp: 'anyone' },
      { ...provider, name: 'changed' },
      { ...provider, name: 'down', issuer: 'http://localhost:1' },
    ]),
    GITHUB_CLIENT_ID: 'gh',
    GITHUB_CLIENT_SECRET: 'gh-secret',
    GITHUB_URL: url,
  });
  return new TestProviders(server, service);
}

export const pathOf = ({ pathname, search }: URL) => pathname + search;

/** The URL to which the issuer redirects a browser. */
export async function throughIssuer(url: URL): Promise<URL> {
  const answer = await fetch(url, { redirect: 'manual' });
  return new URL(answer.headers.get('location') ?? '');
}

export const hasSession = (browser: TestBrowser) => browser.cookies.has('colophon_session');
export const currentUser = async (browser: TestBrowser) => (await browser.api('GET', '/user')).json();
