import { inflateRawSync } from 'node:zlib';
import { newSigner, type Signer } from '../helpers/certificates.ts';
import { base64, type ResponseParts, responseXml } from '../helpers/saml-response.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { type IdentityProvider, type ProviderUser, startIdentityProvider } from './identity-provider.ts';

export const OWN = { origin: 'http://docs.test', 'sec-fetch-site': 'same-origin' };
/** A request of a browser from the page of another site. */
const FOREIGN = { origin: 'http://idp.test', 'sec-fetch-site': 'cross-site' };

type App = TestService['app'];

/** A browser that keeps the cookies of the service, and omits them where browsers do. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #app: App;
  constructor(app: App) {
    this.#app = app;
  }

  /** Opens a URL of the service, or posts a form to it from the page of another site. */
  async open(
    url: string,
    {
      form,
      app = this.#app,
      headers = {},
    }: { form?: Record<string, string>; app?: App; headers?: object } = {},
  ) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await app.inject({
      method: form ? 'POST' : 'GET',
      url: url.replace('http://docs.test', ''),
      headers: form
        ? { ...FOREIGN, 'content-type': 'application/x-www-form-urlencoded', ...headers }
        : { ...OWN, ...(cookie && { cookie }), ...headers },
      ...(form && { payload: new URLSearchParams(form).toString() }),
    });
    for (const line of [response.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value) this.cookies.set(name, value);
      else this.cookies.delete(name);
    }
    return { status: response.statusCode, headers: response.headers, text: response.body };
  }

  /** Calls the API from a page of the service. */
  async api(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await this.#app.inject({
      method,
      url: `/v1${path}`,
      headers: { ...OWN, cookie },
      ...(body && { payload: body }),
    });
    return { status: response.statusCode, body: response.body ? response.json() : undefined };
  }
}

/** The form with the response of a provider. */
export interface ResponseForm {
  SAMLResponse: string;
  RelayState: string;
}

export class Scene {
  readonly service: TestService;
  readonly idp: IdentityProvider;
  readonly signer: Signer;
  constructor(service: TestService, idp: IdentityProvider, signer: Signer) {
    this.service = service;
    this.idp = idp;
    this.signer = signer;
  }

  browser = () => new Browser(this.service.app);

  /** An organization with an active provider. */
  async organization(fields: object = {}) {
    const { id, admin } = await this.service.build.organization();
    const client = this.service.as(admin.token);
    const { entityID, ssoURL } = this.idp;
    const given = {
      label: 'Login',
      entityID,
      ssoURL,
      certificate: this.signer.certificate,
      defaultRole: 'read',
    };
    const provider = await expectOk(client.post(`/orgs/${id}/saml`, { ...given, ...fields }));
    return { id, admin: { ...admin, client }, provider };
  }

  /** The URL that a browser is redirected to for signing in. */
  async start(browser: Browser, provider: { service: { startURL: string } }, query = ''): Promise<URL> {
    const { headers } = await browser.open(provider.service.startURL + query);
    return new URL(String(headers.location));
  }

  /** The response of the provider, as its page posts it. */
  async respond(address: URL, user?: Partial<ProviderUser>): Promise<ResponseForm> {
    this.idp.user = { nameId: 'ann-1', email: 'ann@login.example', name: 'Ann', ...user };
    const page = await (await fetch(address)).text();
    const fieldOf = (name: string) => new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(page)?.[1] ?? '';
    return { SAMLResponse: fieldOf('SAMLResponse'), RelayState: fieldOf('RelayState') };
  }

  /** A forged response to a request. */
  forge(
    provider: { service: { acsURL: string; entityID: string } },
    address: URL,
    parts: Partial<ResponseParts> = {},
    signer = this.signer,
  ): ResponseForm {
    const { acsURL, entityID } = provider.service;
    const request = requestIn(address).id;
    const whole = {
      issuer: this.idp.entityID,
      audience: entityID,
      recipient: acsURL,
      destination: acsURL,
      request,
      now: Date.now(),
      nameId: 'ann-1',
      ...parts,
    };
    return { SAMLResponse: base64(responseXml(whole, signer)), RelayState: request };
  }

  /** A complete sign-in in a browser. */
  async signIn(
    browser: Browser,
    provider: { service: { startURL: string; acsURL: string } },
    user?: Partial<ProviderUser>,
    query = '',
  ) {
    const form = await this.respond(await this.start(browser, provider, query), user);
    const received = await browser.open(provider.service.acsURL, { form: { ...form } });
    const next = nextOf(received.text);
    return next === undefined ? received : browser.open(next);
  }
}

/** The URL that the page after a response leads to. */
export const nextOf = (text: string): string | undefined =>
  /href="(\/auth\/saml\/[^"]*\/complete[^"]*)"/.exec(text)?.[1];

export function requestIn(address: URL): { id: string; xml: string } {
  const deflated = Buffer.from(address.searchParams.get('SAMLRequest') ?? '', 'base64');
  const xml = inflateRawSync(deflated).toString();
  return { id: / ID="([^"]*)"/.exec(xml)?.[1] ?? '', xml };
}

export async function startScene(): Promise<Scene> {
  const signer = newSigner('login.example');
  const [service, idp] = await Promise.all([startTestService(), startIdentityProvider(signer)]);
  return new Scene(service, idp, signer);
}
