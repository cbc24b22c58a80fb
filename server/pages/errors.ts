import type { FastifyReply, FastifyRequest } from 'fastify';
import { STYLES } from '../auth/layout.ts';
import { html } from '../http/html.ts';
import { errorBody } from '../http/http-errors.ts';
import { HOSTED } from './hosts.ts';
import { languageFor } from './languages/index.ts';
import { contentPolicy, rawHtml } from './policy.ts';

/** The first of the languages that a browser accepts. */
const acceptedBy = ({ headers }: FastifyRequest): string =>
  /^[\w-]{2,10}/.exec(headers['accept-language'] ?? '')?.[0] ?? 'en';

/** The addresses of the APIs, whose callers are told in JSON. */
const API = /^\/(?:v1|trpc)(?:[/?]|$)/;

/** Whether a browser has opened an address where there is nothing. */
export const isLostReader = ({ method, url, headers }: FastifyRequest, error: unknown): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  !API.test(url) &&
  (headers.accept ?? '').includes('text/html') &&
  errorBody(error).status === 404;

/**
 * A failure as a page that belongs to no site: it does not tell whether there is one.
 * @throws what is not expected, for whoever logs it, unless it was logged
 */
export function sendFailure(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const { status } = errorBody(error);
  const { locale, texts } = languageFor(acceptedBy(request), undefined);
  const isLost = status === 404 || status === 400 || status === 405;
  const [title, message] = isLost
    ? [texts.notFound, texts.notFoundText]
    : status === 401 || status === 403
      ? [texts.needsSignIn, texts.needsSignInText]
      : status === 503 || status === 429
        ? [texts.busy, texts.busy]
        : [texts.failed, texts.failedText];
  if (status === 503 || status === 429) reply.header('retry-after', '1');
  const isFailure = status >= 500;
  // Other hosts than the service's own have no start that is known.
  const start =
    isLost &&
    !request.url.startsWith(HOSTED) &&
    html`<p class="more"><a class="button" href="/">${texts.toStart}</a></p>`;
  const { text } = html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${rawHtml(STYLES)}</style>
</head>
<body><main><h1>${title}</h1><p>${message}</p>${isFailure && html`<p>${texts.requestId}: <code>${request.id}</code></p>`}${start}</main></body>
</html>
`;
  return reply
    .code(status)
    .headers({
      'content-security-policy': contentPolicy({ styles: [STYLES], scripts: [] }),
      'cache-control': 'no-store',
    })
    .type('text/html; charset=utf-8')
    .send(text);
}
