import type { OpenApiDocument } from './types.ts';

const string = (description: string) => ({ type: 'string', description });

/** Describes how the bytes of a file are sent, which is no procedure: to an address that was signed, outside of `/v1`. */
export function describeUploads({ paths, components }: OpenApiDocument, publicUrl: string): void {
  components.schemas.Upload = {
    type: 'object',
    description: 'Bytes that were sent, to be named by a change that adds a file.',
    properties: {
      object: { type: 'string', const: 'upload', description: 'The type of the object: always `upload`.' },
      upload: string('Names the bytes: to be sent as `upload` of a file to insert.'),
      size: { type: 'integer', description: 'The size in bytes.' },
      contentType: string('The media type of the file.'),
      dimensions: {
        type: 'object',
        description: 'The size of an image in pixels; absent for other files.',
        properties: {
          width: { type: 'number', description: 'In pixels.' },
          height: { type: 'number', description: 'In pixels.' },
        },
        required: ['width', 'height'],
      },
    },
    required: ['object', 'upload', 'size', 'contentType'],
  };
  const failure = (name: string) => ({ $ref: `#/components/responses/${name}` });
  paths['/uploads/{spaceId}'] = {
    put: {
      servers: [{ url: publicUrl }],
      operationId: 'uploadFile',
      summary: 'Send the bytes of a file',
      description:
        'Use the whole URL that `POST /spaces/{spaceId}/uploads` gives, as it is: it is signed, so that no token is needed, and expires.',
      tags: ['Space content'],
      security: [],
      parameters: [
        { name: 'spaceId', in: 'path', required: true, ...described('The id of the space.') },
        { name: 'expires', in: 'query', required: true, ...described('Until when the URL works.') },
        { name: 'signature', in: 'query', required: true, ...described('The signature of the URL.') },
      ],
      requestBody: {
        description: 'The bytes of the file; their media type is that of the file.',
        required: true,
        content: { 'application/octet-stream': { schema: {} } },
      },
      responses: {
        201: {
          description: 'The bytes are stored.',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Upload' } } },
        },
        404: failure('NotFound'),
        429: failure('TooManyRequests'),
        default: failure('Failure'),
      },
    },
  };
}

const described = (description: string) => ({ description, schema: { type: 'string' } });
