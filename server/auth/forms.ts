import type { FastifyInstance, FastifyRequest } from 'fastify';
import { newSecret } from '../../routers/auth/sessions.operation.ts';
import type { Services } from '../../routers/base/context.ts';
import type { Browser } from '../../routers/base/principal.ts';
import { type Html, html } from '../http/html.ts';
import { httpError } from '../http/http-errors.ts';
import { readBody } from '../http/read-body.ts';

/** Largest form: passwords have the longest fields. */
export const FORM_LIMIT = 16 * 1024;

/** How long a browser keeps what ties forms to it, in milliseconds. */
const FORM_LIFETIME = 24 * 3_600_000;

/** The name of the field that ties a form to the browser that it was sent to. */
const TOKEN_FIELD = 'form';

/** Reads the bodies of forms, as `URLSearchParams`; the routes of a scope take no other. */
export function parseForms(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    async (request: FastifyRequest, payload: FastifyRequest['raw']) => {
      const bytes = await readBody(request, payload, { limit: FORM_LIMIT, onBytes: () => undefined });
      return new URLSearchParams(bytes.toString());
    },
  );
}

/** A field of the form that a request sends; empty if it has none. */
export const fieldOf = ({ body }: FastifyRequest, name: string): string =>
  body instanceof URLSearchParams ? (body.get(name) ?? '') : '';

const textOf = (secret: string, browser: Browser) => `${secret} ${browser.token('session') ?? ''}`;

/** The hidden field that a form needs: good for this browser, as long as its session is the same. */
export function formToken({ signer }: Services, browser: Browser): Html {
  let secret = browser.token('form');
  if (secret === undefined) {
    secret = newSecret();
    browser.keep('form', { secret, expiresAt: new Date(Date.now() + FORM_LIFETIME) });
  }
  return html`<input type="hidden" name="${TOKEN_FIELD}" value="${signer.sign('form', textOf(secret, browser))}">`;
}

/** @throws a refusal unless the request sends a form that this browser was sent, from a page of this service */
export function requireForm(request: FastifyRequest, { signer }: Services): void {
  const { browser } = request.ctx;
  const secret = browser.token('form');
  const token = fieldOf(request, TOKEN_FIELD);
  if (!browser.isOwn || secret === undefined || !signer.verify('form', textOf(secret, browser), token))
    throw httpError(400, 'The form does not belong to this browser.');
}
