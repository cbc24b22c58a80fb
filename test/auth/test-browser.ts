import type { FastifyInstance, LightMyRequestResponse } from 'fastify';

const FORM = /<form method="post" action="([^"]+)">([\s\S]*?)<\/form>/g;
const HIDDEN = /<input type="hidden" name="([^"]+)"[^>]*? value="([^"]*)"/g;

/** As much of a browser as forms need: it keeps cookies, follows redirects on its host, and sends hidden fields. */
export class TestBrowser {
  readonly cookies = new Map<string, string>();
  url = '';
  status = 0;
  text = '';
  headers: LightMyRequestResponse['headers'] = {};
  /** The cookies of all responses so far. */
  readonly setCookies: string[] = [];
  readonly #app: FastifyInstance;
  readonly #origin: string;

  constructor(app: FastifyInstance, origin = 'http://docs.test') {
    this.#app = app;
    this.#origin = origin;
  }

  get #cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async open(path: string): Promise<void> {
    const answer = await this.#app.inject({
      url: path,
      headers: { cookie: this.#cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    });
    await this.#take(path, answer);
  }

  /** Follows a link of the page that leads to another service. */
  async leave(path: string): Promise<URL> {
    const answer = await this.#app.inject({ url: path, headers: { cookie: this.#cookie } });
    this.#keepCookies(answer);
    const { location } = answer.headers;
    if (answer.statusCode !== 303 || !location) throw new Error(`${answer.statusCode}: ${answer.body}`);
    return new URL(location);
  }

  /** The hidden fields of a form of the page. */
  formOf(action: string | RegExp): Record<string, string> {
    for (const [, target = '', inside = ''] of this.text.matchAll(FORM)) {
      if (typeof action === 'string' ? target !== action : !action.test(target)) continue;
      return {
        ...Object.fromEntries([...inside.matchAll(HIDDEN)].map(([, name, value]) => [name, value])),
        '': target,
      };
    }
    throw new Error(`no form for ${action} in ${this.text}`);
  }

  /** Sends a form of the page: the first one, or the one with an `action`. */
  async submit(fields: Record<string, string>, action: string | RegExp = /./): Promise<void> {
    const { '': target = '', ...hidden } = this.formOf(action);
    await this.#take(target, await this.send(target, { ...hidden, ...fields }));
  }

  /** Sends fields as a form does, without following redirects. */
  send(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = { origin: this.#origin, 'sec-fetch-site': 'same-origin' },
  ): Promise<LightMyRequestResponse> {
    return this.#app.inject({
      method: 'POST',
      url: path,
      headers: { cookie: this.#cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams(fields).toString(),
    });
  }

  /** Calls `/v1` as a script of the page. */
  api(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    payload?: object,
  ): Promise<LightMyRequestResponse> {
    const headers = { cookie: this.#cookie, origin: this.#origin, 'sec-fetch-site': 'same-origin' };
    return this.#app.inject({ method, url: `/v1${path}`, headers, ...(payload && { payload }) });
  }

  #keepCookies(answer: LightMyRequestResponse): void {
    for (const cookie of [answer.headers['set-cookie'] ?? []].flat()) {
      this.setCookies.push(cookie);
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }

  async #take(path: string, answer: LightMyRequestResponse): Promise<void> {
    this.#keepCookies(answer);
    const { location } = answer.headers;
    if (answer.statusCode >= 300 && answer.statusCode < 400 && location) {
      const { origin, pathname, search } = new URL(location, this.#origin);
      if (origin !== this.#origin) throw new Error(`led to ${location}`);
      return this.open(pathname + search);
    }
    this.url = path;
    this.status = answer.statusCode;
    this.text = answer.body;
    this.headers = answer.headers;
  }
}
