/** A bare Fastify server that sends the bytes of one page, or only its ETag. */
import { readFile } from 'node:fs/promises';
import fastify from 'fastify';

const { headers, body } = JSON.parse(await readFile(process.env.PAGE ?? '', 'utf8')) as {
  headers: Record<string, string>;
  body: string;
};
const bytes = Buffer.from(body, 'base64');
const app = fastify();
app.get('*', (request, reply) => {
  reply.headers(headers);
  if (request.headers['if-none-match'] === headers.etag) return reply.code(304).send();
  return reply.send(bytes);
});
await app.listen({ port: 0, host: '127.0.0.1' });
process.stderr.write(`ready at http://localhost:${(app.server.address() as { port: number }).port}\n`);
process.on('SIGTERM', () => app.close());
