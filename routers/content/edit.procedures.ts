import { z } from 'zod';
import { requireSpace } from '../access/require.ts';
import type { Services } from '../context.ts';
import { authenticatedProcedure } from '../trpc.ts';
import type { Batch } from './edit/batch.ts';
import { type ContentChange, editInput, type InsertFile } from './edit/changes.api.ts';
import { changeError } from './edit/failures.ts';
import { decodeBase64, describeFile, FILE_LIMIT } from './edit/files.ts';

/**
 * Takes an edit of a space's content and stores the files in it, as `ctx.files`: before the transaction, which is not
 * to wait for other servers, and only for those who may edit.
 */
export const editProcedure = authenticatedProcedure
  .input(z.object({ spaceId: z.string(), ...editInput }))
  .use(async ({ ctx, input, next }) => {
    const { changes, spaceId } = input;
    const hasFiles = changes.some(({ operation }) => operation === 'insert_files');
    if (hasFiles) await requireSpace(ctx.db, ctx.actor.user.id, spaceId, 'edit');
    return next({ ctx: { files: await storeFiles(ctx.services, changes) } });
  });

/** Stores files one after another: each may be large. What no revision comes to hold is collected. */
async function storeFiles(services: Services, changes: readonly ContentChange[]): Promise<Batch['files']> {
  const files = new Map<number, ReturnType<typeof describeFile>[]>();
  for (const [index, change] of changes.entries()) {
    if (change.operation !== 'insert_files') continue;
    const stored: ReturnType<typeof describeFile>[] = [];
    for (const [place, file] of change.files.entries()) {
      const { bytes, contentType } = await readFile(services, file, `changes.${index}.files.${place}`);
      const described = describeFile(file.name, bytes, contentType);
      await services.storage.put(described.sha256, bytes);
      stored.push(described);
    }
    files.set(index, stored);
  }
  return files;
}

async function readFile(
  { outbound }: Services,
  { url, base64 = '' }: InsertFile,
  path: string,
): Promise<{ bytes: Uint8Array; contentType?: string }> {
  if (url !== undefined) {
    const answer = await outbound.get(url, { maxBytes: FILE_LIMIT });
    if ('problem' in answer) throw changeError('invalid', `${path}.url`, answer.problem);
    return answer;
  }
  const bytes = decodeBase64(base64);
  if (!bytes) throw changeError('invalid', `${path}.base64`, 'It is not base64.');
  if (bytes.byteLength > FILE_LIMIT)
    throw changeError('invalid', `${path}.base64`, `A file may have at most ${FILE_LIMIT} bytes.`);
  return { bytes };
}
