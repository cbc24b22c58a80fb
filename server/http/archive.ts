import { once } from 'node:events';
import { Readable } from 'node:stream';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ZipFile } from 'yazl';
import { runFor } from '../../routers/base/caller.ts';
import type { ArchivedFile, ContentExport } from '../../routers/content/export.handlers.ts';

/** Sends an export as a zip archive, which is written while it is read. */
export function sendArchive(
  request: FastifyRequest,
  reply: FastifyReply,
  content: ContentExport,
): FastifyReply {
  reply
    .type('application/zip')
    .header('content-disposition', contentDisposition(content.name))
    .header('x-content-type-options', 'nosniff');
  if (request.method === 'HEAD') return reply.send('');
  const onError = (error: unknown) =>
    request.log.error({ requestId: request.id, err: error }, 'export failed');
  const { caller } = content;
  const open = () => zip(content.files(), content.modified, onError);
  return reply.send(caller ? runFor(caller, open) : open());
}

/**
 * A zip archive of files, each opened only once those before it have been read. It ends early, and with it the reading of
 * files, when its reader goes away; `onError` hears of a failure, which breaks the archive off.
 */
function zip(
  files: AsyncIterable<ArchivedFile>,
  modified: Date,
  onError: (error: unknown) => void,
): Readable {
  const archive = new ZipFile();
  const output = archive.outputStream as Readable;
  const gone = new AbortController();
  output.once('close', () => gone.abort());
  const write = async () => {
    for await (const { path, content } of files) {
      if (gone.signal.aborted) return;
      const bytes = typeof content === 'string' ? Readable.from([Buffer.from(content)]) : await content();
      const read = once(bytes, 'end', { signal: gone.signal });
      archive.addReadStreamLazy(path, { mtime: modified }, (add) => add(null, bytes));
      await read.finally(() => bytes.destroy());
    }
    archive.end();
  };
  const fail = (error: unknown) => {
    if (gone.signal.aborted) return;
    onError(error);
    output.destroy(error instanceof Error ? error : new Error(String(error)));
  };
  archive.on('error', fail);
  write().catch(fail);
  return output;
}
