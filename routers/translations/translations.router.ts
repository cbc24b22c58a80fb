import { z } from 'zod';
import { Translation } from '../../schema/entities/translation.ts';
import { requiredPermission } from '../access/needs.ts';
import { organizationProcedure } from '../access/procedures.ts';
import { requireCurrentParent, requireSpace } from '../access/require.ts';
import { Removal } from '../base/common-schemas.ts';
import { kyselyOf } from '../base/db.ts';
import { router } from '../base/trpc.ts';
import { DocumentInput } from '../engine/document/document.ts';
import { notFound } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { lockSpaceAndPlacement } from '../placement/lock.operation.ts';
import { deleteRows } from '../sql/delete-rows.ts';
import { lockRow } from '../sql/lock-row.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { route } from './route.ts';
import { LanguageSchema, presentTranslation, TranslationObject } from './translations.api.ts';
import {
  aboutTranslation,
  cancelRun,
  createTranslation,
  normalizeInstructions,
  requestRun,
} from './translations.operation.ts';
import { translationProcedure } from './translations.procedures.ts';
import { levelOnBoth, translationsVisibleTo, withSpaces } from './translations.query.ts';

const PATH = '/orgs/{organizationId}/translations';

const RunOnChange = z
  .boolean()
  .optional()
  .describe('Whether to run it automatically after each change of the source, such as a merge.');

export const translationsRouter = router({
  list: organizationProcedure('viewTranslations')
    .meta(
      route.get(PATH, 'List the translations of an organization', 'listTranslations', {
        description: 'Lists the translations whose two spaces the caller may view.',
      }),
    )
    .input(z.object(paging))
    .output(listOf(TranslationObject))
    .query(async ({ ctx, input }) => {
      const { db, member, grants, services, viewer } = ctx;
      const listed = translationsVisibleTo(db, ctx);
      return readPage(ctx, input, {
        rows: withSpaces(listed),
        count: listed,
        order: [{ column: 'translation.id', direction: 'desc', of: (row) => row.id }],
        present: (row) =>
          presentTranslation(
            row,
            levelOnBoth(member, grants, row) ?? 'read',
            services.translationEngine,
            viewer,
          ),
      });
    }),

  create: organizationProcedure('createContent')
    .meta(
      route.post(PATH, 'Create a translation', 'createTranslation', {
        success: 201,
        description:
          'A space for the result is created directly after the source, and the translation runs shortly afterwards. Requires `create` on the source.',
      }),
    )
    .input(
      z.object({
        source: z
          .object({
            space: z.string().describe('The id of the space to translate.'),
            language: LanguageSchema.describe('The language of the source.'),
          })
          .describe('The space to translate.'),
        language: LanguageSchema.describe('The language to translate into, such as `en` or `pt-br`.'),
        instructions: DocumentInput.optional().describe('The instructions to follow, as a document.'),
        runOnChange: RunOnChange.describe('Whether it runs automatically whenever the source changes.'),
      }),
    )
    .output(TranslationObject)
    .mutation(async ({ ctx, input: { source, language, instructions, runOnChange } }) => {
      const { em, db, services, organization, actor, viewer } = ctx;
      const { space, level } = await requireSpace(
        db,
        actor,
        source.space,
        requiredPermission('space', 'create'),
      );
      // guard: translation-space-organization
      if (space.organization !== organization.id) throw notFound('space');
      const original = await lockSpaceAndPlacement(em, space);
      await requireCurrentParent(db, actor, original);
      const translation = await createTranslation(em, services, {
        source: original,
        sourceLanguage: source.language,
        language,
        instructions: normalizeInstructions(instructions),
        runOnChange,
        creator: { actor, level },
      });
      return presentTranslation(translation, level, services.translationEngine, viewer);
    }),

  get: translationProcedure('view')
    .meta(
      route.get(`${PATH}/{translationId}`, 'Get a translation', 'getTranslation', {
        description: 'Returns the state of the translation, and the space of its result.',
      }),
    )
    .output(TranslationObject)
    .query(({ ctx: { translation, level, services, viewer } }) =>
      presentTranslation(translation, level, services.translationEngine, viewer),
    ),

  update: translationProcedure('edit')
    .meta(
      route.put(`${PATH}/{translationId}`, 'Update a translation', 'updateTranslation', {
        description: 'Changed instructions take effect with the next run.',
      }),
    )
    .input(
      z.object({
        instructions: DocumentInput.describe('The instructions to follow, as a document.'),
        runOnChange: RunOnChange.describe('Whether it runs automatically whenever the source changes.'),
      }),
    )
    .output(TranslationObject)
    .mutation(async ({ ctx, input }) => {
      const { em, services, level, viewer } = ctx;
      const instructions = normalizeInstructions(input.instructions);
      const translation = await lockRow(em, Translation, ctx.translation.id, 'translation');
      const { runOnChange = translation.runOnChange } = input;
      em.assign(translation, { instructions, runOnChange });
      await em.flush();
      recordEvent(em, { type: 'translation.updated', ...aboutTranslation(translation) });
      return presentTranslation(translation, level, services.translationEngine, viewer);
    }),

  delete: translationProcedure('edit')
    .meta(
      route.delete(`${PATH}/{translationId}`, 'Delete a translation', 'deleteTranslation', {
        description: 'The space with the result is kept. A run in progress is cancelled.',
      }),
    )
    .output(Removal)
    .mutation(async ({ ctx: { em, translation } }) => {
      const removed = (await deleteRows(kyselyOf(em), 'translation', { id: translation.id })) > 0;
      if (removed) recordEvent(em, { type: 'translation.deleted', ...aboutTranslation(translation) });
      return { removed };
    }),

  run: translationProcedure('edit')
    .meta(
      route.post(`${PATH}/{translationId}/run`, 'Run a translation', 'runTranslation', {
        success: 204,
        description:
          'Translates what has changed since the last run. If a run is in progress, one more run follows it.',
      }),
    )
    .output(z.void())
    .mutation(async ({ ctx: { em, services, actor, translation } }) => {
      await requestRun(em, services, translation.id, actor.user.id);
    }),

  cancel: translationProcedure('edit')
    .meta(
      route.post(`${PATH}/{translationId}/cancel`, 'Cancel the run of a translation', 'cancelTranslation', {
        success: 204,
        description: 'The last result is kept. Has no effect if no run is pending or in progress.',
      }),
    )
    .output(z.void())
    .mutation(async ({ ctx: { em, translation } }) => {
      await cancelRun(em, translation.id);
    }),
});
