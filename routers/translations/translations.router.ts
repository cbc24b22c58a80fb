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
import { cancelRun, checkedInstructions, createTranslation, requestRun } from './translations.operation.ts';
import { translationProcedure } from './translations.procedures.ts';
import { levelOnBoth, translationsVisibleTo, withSpaces } from './translations.query.ts';

const PATH = '/orgs/{organizationId}/translations';

const RunOnChange = z
  .boolean()
  .optional()
  .describe('Whether to run it after each change of the source, such as a merge.');

export const translationsRouter = router({
  list: organizationProcedure('viewTranslations')
    .meta(
      route.get(PATH, 'List the translations of an organization', 'listTranslations', {
        description: 'Those whose two spaces the caller may view.',
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
          'A space for the result is created right after the source, and the translation runs shortly afterwards. Needs `create` on the source.',
      }),
    )
    .input(
      z.object({
        source: z
          .object({
            space: z.string().describe('The id of the space that is translated.'),
            language: LanguageSchema.describe('The language that it is written in.'),
          })
          .describe('What is translated.'),
        language: LanguageSchema.describe('A language code, such as `en` or `pt-br`.'),
        instructions: DocumentInput.optional().describe('The instructions to follow, as a document.'),
        runOnChange: RunOnChange.describe('Whether it is brought up to date whenever the source changes.'),
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
        instructions: checkedInstructions(instructions),
        runOnChange,
        creator: { actor, level },
      });
      return presentTranslation(translation, level, services.translationEngine, viewer);
    }),

  get: translationProcedure('view')
    .meta(
      route.get(`${PATH}/{translationId}`, 'Get a translation', 'getTranslation', {
        description: 'Gives the state of the translation and where its result is.',
      }),
    )
    .output(TranslationObject)
    .query(({ ctx: { translation, level, services, viewer } }) =>
      presentTranslation(translation, level, services.translationEngine, viewer),
    ),

  update: translationProcedure('edit')
    .meta(
      route.put(`${PATH}/{translationId}`, 'Update a translation', 'updateTranslation', {
        description: 'The next run obeys other instructions.',
      }),
    )
    .input(
      z.object({
        instructions: DocumentInput.describe('The instructions to follow, as a document.'),
        runOnChange: RunOnChange.describe('Whether it is brought up to date whenever the source changes.'),
      }),
    )
    .output(TranslationObject)
    .mutation(async ({ ctx, input }) => {
      const { em, services, organization, level, viewer } = ctx;
      const instructions = checkedInstructions(input.instructions);
      const translation = await lockRow(em, Translation, ctx.translation.id, 'translation');
      const { runOnChange = translation.runOnChange } = input;
      em.assign(translation, { instructions, runOnChange });
      await em.flush();
      recordEvent(em, {
        type: 'translation.updated',
        organization: organization.id,
        translation: translation.id,
      });
      return presentTranslation(translation, level, services.translationEngine, viewer);
    }),

  delete: translationProcedure('edit')
    .meta(
      route.delete(`${PATH}/{translationId}`, 'Delete a translation', 'deleteTranslation', {
        description: 'The space with its result stays. A run that is under way is given up.',
      }),
    )
    .output(Removal)
    .mutation(async ({ ctx: { em, organization, translation } }) => {
      const removed = (await deleteRows(kyselyOf(em), 'translation', { id: translation.id })) > 0;
      if (removed)
        recordEvent(em, {
          type: 'translation.deleted',
          organization: organization.id,
          translation: translation.id,
        });
      return { removed };
    }),

  run: translationProcedure('edit')
    .meta(
      route.post(`${PATH}/{translationId}/run`, 'Run a translation', 'runTranslation', {
        success: 204,
        description:
          'It translates what has changed since the last run. While one runs, another one follows it, once.',
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
        description: 'The last result stays. Nothing happens if it does not run.',
      }),
    )
    .output(z.void())
    .mutation(async ({ ctx: { em, translation } }) => {
      await cancelRun(em, translation.id);
    }),
});
