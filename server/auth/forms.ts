import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Services } from '../../routers/base/context.ts';
import type { Browser } from '../../routers/base/principal.ts';
import { newSecret } from '../../routers/base/secrets.ts';
import { type Html, html } from '../http/html.ts';
import { httpError } from '../http/http-errors.ts';
import { readBody } from '../http/read-body.ts';

/** Maximum size of a form, in bytes. */
export const FORM_LIMIT = 16 * 1024;

/** How long a browser keeps the secret that its forms are signed with after the last one, in milliseconds. */
const FORM_LIFETIME = 24 * 3_600_000;

/** The name of the field that binds a form to its browser. */
const TOKEN_FIELD = 'form';

/** Parses form bodies as `URLSearchParams`; the routes of the scope accept no other bodies. */
export function parseForms(app: FastifyInstance, limit = FORM_LIMIT): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    async (request: FastifyRequest, payload: FastifyRequest['raw']) => {
      const bytes = await readBody(request, payload, { limit });
      return new URLSearchParams(bytes.toString());
    },
  );
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: FastifyRequest['raw']) => {
    const onBytes = () => {
      throw httpError(415, 'The request body must be a form, sent as application/x-www-form-urlencoded.');
    };
    // Only an empty body is accepted.
    await readBody(request, payload, { limit, onBytes });
  });
}

/** The value of a field in a submitted form; empty if it is missing. */
export const fieldOf = ({ body }: FastifyRequest, name: string): string =>
  body instanceof URLSearchParams ? (body.get(name) ?? '') : '';

const signedTextOf = (secret: string, browser: Browser) => `${secret} ${browser.token('session') ?? ''}`;

/** The hidden field that every form needs. It is valid in this browser, until its session changes. */
export function formToken({ signer }: Services, browser: Browser): Html {
  const secret = browser.token('form') ?? newSecret();
  browser.setToken('form', { secret, expiresAt: new Date(Date.now() + FORM_LIFETIME) });
  return html`<input type="hidden" name="${TOKEN_FIELD}" value="${signer.sign('form', signedTextOf(secret, browser))}">`;
}

/** @throws a 400 error unless the form was issued to this browser, and comes from a page of this service */
export function requireFormToken(request: FastifyRequest, { signer }: Services): void {
  const { browser } = request.ctx;
  const secret = browser.token('form');
  const token = fieldOf(request, TOKEN_FIELD);
  // guard: form-token
  if (
    !browser.isSameOrigin ||
    secret === undefined ||
    !signer.verify('form', signedTextOf(secret, browser), token)
  )
    throw httpError(400, 'The form does not belong to this browser.');
}
