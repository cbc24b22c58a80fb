import { z } from 'zod';
import { spaceProcedure } from '../access/procedures.ts';
import { router } from '../base/trpc.ts';
import { byteLimit } from '../engine/byte-limit.ts';
import { route } from './route.ts';
import { UPLOAD_LIMIT, uploadAddress } from './uploads.ts';

export const uploadsRouter = router({
  create: spaceProcedure('edit')
    .meta(
      route.post('/spaces/{spaceId}/uploads', 'Get a URL to upload a file to', 'createSpaceUpload', {
        success: 201,
        description: `Send up to ${byteLimit(UPLOAD_LIMIT)} to the URL with PUT, and pass the \`upload\` of the response to \`insert_files\`.`,
      }),
    )
    .output(
      z.object({
        object: z.literal('upload-address').describe('The type of the object: always `upload-address`.'),
        url: z.string().describe('The signed URL that accepts the bytes of a file with `PUT`.'),
        expiresAt: z.string().describe('When it stops being valid, in ISO 8601 UTC.'),
      }),
    )
    .mutation(({ ctx: { services, space } }) => {
      const { path, expires } = uploadAddress(services.signer, space.id, Date.now());
      return {
        object: 'upload-address',
        url: services.urls.absolute(path),
        expiresAt: new Date(expires).toISOString(),
      };
    }),
});
