import type { FastifyReply } from 'fastify';
import { html } from '../http/html.ts';
import { httpError } from '../http/http-errors.ts';
import type { Visit } from './visit.ts';

/**
 * The paths of `urls.app`, below `/app`. The service has no app of its own: these pages lead to the API, which has the same
 * objects at the same paths below `/v1`, except pages.
 */
export const APP_PATHS = [
  '/orgs/:organizationId',
  '/orgs/:organizationId/sites/:siteId',
  '/orgs/:organizationId/openapi/:slug',
  '/orgs/:organizationId/conversations-clusters/:clusterId',
  '/collections/:collectionId',
  '/spaces/:spaceId',
  '/spaces/:spaceId/pages/:pageId',
  '/spaces/:spaceId/revisions/:revisionId',
  '/spaces/:spaceId/change-requests/:changeRequestId',
];

/** Maximum length of a path; ids and slugs are shorter. */
const MAX_PATH = 500;

/** The path of the preview of an object; undefined if it has none. */
function previewOf(path: string): string | undefined {
  const [, kind, id, part, ...rest] = path.split('/').slice(1);
  if (kind === 'orgs') return part === 'sites' ? `/preview/orgs/${id}/sites/${rest[0]}` : undefined;
  if (kind !== 'spaces') return undefined;
  const isOther = part === 'revisions' || part === 'change-requests';
  return `/preview/spaces/${id}/${isOther ? `${part}/${rest[0]}` : 'content'}`;
}

/** Shows where the API has an object. The API checks permissions; visitors who are not signed in are asked to. */
export function showAppPage({ texts, actor, request, show }: Visit): FastifyReply {
  if (request.url.length > MAX_PATH) throw httpError(404);
  const path = new URL(request.url, 'http://own.invalid').pathname
    .replace(/^\/app/, '/v1')
    .replace(/^(\/v1\/spaces\/[^/]+)\/pages\//, '$1/content/page/');
  const preview = previewOf(path);
  const signIn = `/auth/sign-in?returnTo=${encodeURIComponent(request.url)}`;
  return show({
    title: texts.apiOnlyTitle,
    body: html`<p>${texts.apiOnly}</p>
<p><code>GET ${path}</code></p>
${
  actor
    ? html`<p>${preview !== undefined && html`<a class="button" href="${preview}">${texts.preview}</a> `}<a class="button" href="${path}">${texts.showOverApi}</a></p>`
    : html`<p><a class="button" href="${signIn}">${texts.signIn}</a></p>`
}
<p class="more">${actor && html`<a href="/">${texts.yourSites}</a> · `}<a href="/reference">${texts.apiReference}</a></p>`,
  });
}
