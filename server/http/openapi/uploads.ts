import type { OpenApiDocument } from './types.ts';

const string = (description: string) => ({ type: 'string', description });

/** Describes the upload of a file, which is not a procedure: its bytes are sent to a signed URL outside `/v1`. */
export function describeUploads({ paths, components }: OpenApiDocument, publicUrl: string): void {
  components.schemas.Upload = {
    type: 'object',
    description: 'An upload, which a change that adds a file refers to.',
    properties: {
      object: { type: 'string', const: 'upload', description: 'The type of the object: always `upload`.' },
      upload: string('A reference to the upload, to be sent as `upload` of a file to insert.'),
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
      summary: 'Upload the bytes of a file',
      description:
        'Use the whole URL from the response to `POST /spaces/{spaceId}/uploads` unchanged: it is signed, so no token is needed, and it expires.',
      tags: ['Space content'],
      security: [],
      parameters: [
        { name: 'spaceId', in: 'path', required: true, ...described('The id of the space.') },
        { name: 'expires', in: 'query', required: true, ...described('When the URL expires.') },
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
