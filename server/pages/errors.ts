import type { FastifyReply, FastifyRequest } from 'fastify';
import { STYLES } from '../auth/layout.ts';
import { html } from '../http/html.ts';
import { errorBody } from '../http/http-errors.ts';
import { HOSTED_PATH } from './hosts.ts';
import { acceptedLanguage } from './languages/index.ts';
import { contentPolicy, rawHtml } from './policy.ts';

/** Paths of the APIs, whose errors are JSON. */
const API = /^\/(?:v1|trpc)(?:[/?]|$)/;

/** Whether a browser opened an address outside the APIs. */
export const isBrowser = ({ method, url, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && !API.test(url) && (headers.accept ?? '').includes('text/html');

/** Whether a browser opened an address that does not exist, outside the APIs. */
export const isBrowserNotFound = (request: FastifyRequest, error: unknown): boolean =>
  isBrowser(request) && errorBody(error).status === 404;

/**
 * Sends an error as a page without any site around it, so that it does not reveal whether a site exists.
 */
export function sendErrorPage(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const { status } = errorBody(error);
  const { locale, texts } = acceptedLanguage(request.headers['accept-language']);
  const isNotFound = status === 404 || status === 400 || status === 405;
  const [title, message] = isNotFound
    ? [texts.notFound, texts.notFoundText]
    : status === 401 || status === 403
      ? [texts.needsSignIn, texts.needsSignInText]
      : status === 503 || status === 429
        ? [texts.busy, texts.busyText]
        : [texts.failed, texts.failedText];
  if (status === 503 || status === 429) reply.header('retry-after', '1');
  const isFailure = status >= 500;
  // On other hosts than the service's own, there is no known start page.
  const start =
    isNotFound &&
    !request.url.startsWith(HOSTED_PATH) &&
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
