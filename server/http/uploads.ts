import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Services } from '../../routers/base/context.ts';
import { issueUploadToken, isUploadAddress, UPLOAD_LIMIT } from '../../routers/content/uploads.ts';
import { describeFile, isMediaType } from '../../routers/engine/edit/files.ts';
import { httpError } from './http-errors.ts';
import { readBody } from './read-body.ts';

interface UploadRequest {
  Params: { space: string };
  Querystring: { expires?: string; signature?: string };
}

/** Accepts files of any type at the signed URLs that editors of a space get. */
export function mountUploads(app: FastifyInstance, { storage, signer }: Services): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request: FastifyRequest, payload: FastifyRequest['raw']) =>
    readBody(request, payload, { limit: UPLOAD_LIMIT }),
  );

  app.put<UploadRequest>('/uploads/:space', {
    bodyLimit: UPLOAD_LIMIT,
    config: { callerFrom: (parameters) => (parameters as UploadRequest['Params']).space },
    // Checked before the body is read, which is large and of an unknown sender.
    onRequest(request, _reply, done) {
      const { expires = '', signature = '' } = request.query;
      const address = { space: request.params.space, expires: Number(expires), signature };
      if (!isUploadAddress(signer, address, Date.now()))
        return done(httpError(404, 'This upload URL does not exist, or has expired.'));
      // Fastify would refuse it, although files of any type are accepted, also without one.
      if (declaredTypeOf(request) === undefined) delete request.headers['content-type'];
      done();
    },
    async handler(request, reply) {
      const { space } = request.params;
      const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const { sha256, size, dimensions, contentType } = await describeFile(
        '',
        bytes,
        declaredTypeOf(request),
      );
      await storage.put(sha256, bytes);
      const upload = issueUploadToken(signer, { space, sha256, size, contentType, dimensions }, Date.now());
      return reply.code(201).send({ object: 'upload', upload, size, contentType, dimensions });
    },
  });
}

/** The media type that the sender declares, without parameters; undefined if it is none. */
function declaredTypeOf({ headers }: FastifyRequest): string | undefined {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  return type !== undefined && isMediaType(type) ? type : undefined;
}
