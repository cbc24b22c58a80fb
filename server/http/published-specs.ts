import type { FastifyInstance } from 'fastify';
import type { Services } from '../../routers/base/context.ts';
import type { Db } from '../../routers/base/db.ts';
import { publishedPath } from '../../routers/specs/published.ts';
import { findPublished } from '../../routers/specs/versions.query.ts';
import { httpError } from './http-errors.ts';
import { sendStreamed } from './streamed-responses.ts';

interface PublishedRequest {
  Params: { organization: string; slug: string };
}

/**
 * Serves the latest version of each public OpenAPI spec to anyone, as it was received. It never runs as a page.
 */
export function mountPublishedSpecs(app: FastifyInstance, db: Db, { storage }: Services): void {
  app.route<PublishedRequest>({
    method: ['GET', 'HEAD'],
    url: publishedPath({ organization: ':organization', slug: ':slug' }),
    exposeHeadRoute: false,
    async handler(request, reply) {
      const { organization, slug } = request.params;
      const document = await findPublished(db, storage, organization, slug);
      if (!document) throw httpError(404, 'There is no public OpenAPI spec at this URL.');
      reply.headers({
        'cache-control': 'public, no-cache',
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      });
      return sendStreamed(request, reply, document);
    },
  });
}
