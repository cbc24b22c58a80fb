import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { text } from '../../schema/json/text.ts';
import { optimisticSpaceAccess } from '../access/procedures.ts';
import { kyselyOf } from '../base/db.ts';
import { measure } from '../base/measure.ts';
import type { ImportProgress } from '../base/ports.ts';
import { taggedRoutes } from '../base/route.ts';
import { authenticatedProcedure, router } from '../base/trpc.ts';
import { UPLOAD_LIMIT, verifyUploadToken } from '../content/uploads.ts';
import { byteLimit } from '../engine/byte-limit.ts';
import { DomainError } from '../engine/errors.ts';
import { openArchive } from './archive-source.ts';
import { type ImportOutcome, importSource } from './import.operation.ts';
import { ImportOutcomeObject } from './imports.api.ts';
import { reportProgress } from './progress.operation.ts';

const route = taggedRoutes('Space content');

export const importsRouter = router({
  importArchive: authenticatedProcedure
    .concat(optimisticSpaceAccess('edit'))
    .meta(
      route.post('/spaces/{spaceId}/content/import', 'Import a zip archive into a space', 'importContent', {
        description: `Imports a documentation repository in Markdown, of up to ${byteLimit(UPLOAD_LIMIT)}, that was uploaded before (\`createSpaceUpload\`). Its changes since the last import of the same \`source\` are merged into the space; what was also changed there, or everything if the space is locked, goes into a change request. Events (\`space.import.updated\`) report its progress.`,
      }),
    )
    .input(
      z.object({
        upload: z.string().describe('The `upload` of the response to sending the archive to the upload URL.'),
        source: text({ min: 1, max: 200 })
          .default('archive')
          .describe('A name for where the content comes from, the same in each import from there.'),
        changeRequest: z.boolean().default(false).describe('Whether everything goes into a change request.'),
        dryRun: z
          .boolean()
          .default(false)
          .describe('Whether to return what would happen, without changing anything.'),
      }),
    )
    .output(ImportOutcomeObject.meta({ id: 'ImportOutcome', description: 'What an import did, and found.' }))
    .mutation(async ({ ctx, input }) => {
      const { actor, services, load } = ctx;
      const { spaceId, upload, source: name, ...options } = input;
      const archive = verifyUploadToken(services.signer, upload, spaceId, Date.now());
      if (!archive)
        throw new DomainError('invalid', 'There is no such upload, or it has expired.', [
          { path: 'upload', message: 'is not an upload for this space, or has expired' },
        ]);
      const { importRunner, measurements, onImportProgress } = services;
      // guard: import-caller
      const caller = { user: actor.user.id, credential: actor.credential, origin: ctx.origin?.() };
      const run = async (onProgress?: (progress: ImportProgress) => void): Promise<ImportOutcome> => {
        if (importRunner) {
          const outcome = await measure(
            measurements,
            () => importRunner.importArchive(caller, input, onProgress ?? (() => undefined)),
            (result) => ({ work: 'import', outcome: result ? 'imported' : 'failed' }),
          );
          return ImportOutcomeObject.parse(outcome);
        }
        const bytes = await buffer(await services.storage.read(archive.sha256));
        return importSource(ctx, {
          space: spaceId,
          author: actor.user.id,
          source: await openArchive(bytes, name),
          // Checks again that the caller may edit the space.
          lockFirst: (em) => load(kyselyOf(em)),
          ...options,
          onProgress,
        });
      };
      if (onImportProgress || options.dryRun) return run(onImportProgress);
      const progress = reportProgress(ctx, { space: spaceId, source: name });
      try {
        const outcome = await run(progress.show);
        await progress.end('completed');
        return outcome;
      } catch (error) {
        await progress.end('failed');
        throw error;
      }
    }),
});
