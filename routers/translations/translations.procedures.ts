import { z } from 'zod';
import { allows, TRANSLATION_NEEDS } from '../access/needs.ts';
import { organizationProcedure } from '../access/procedures.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { levelOnBoth, translationsVisibleTo, withSpaces } from './translations.query.ts';

/**
 * A procedure about one translation: loads it as `ctx.translation`, with the caller's level on both of its spaces as
 * `ctx.level`. 404 for those who may not view both, 403 for those who may not edit both.
 */
export const translationProcedure = (permission: 'view' | 'edit') =>
  organizationProcedure(permission === 'view' ? 'viewTranslations' : 'editTranslations')
    .input(z.object({ translationId: z.string().describe('The id of the translation.') }))
    .use(async ({ ctx, input, next }) => {
      const { db, member, grants, viewer } = ctx;
      const translation = await withSpaces(translationsVisibleTo(db, ctx))
        .where('translation.id', '=', input.translationId)
        .executeTakeFirst();
      const level = translation && levelOnBoth(member, grants, translation);
      if (!translation || !level) throw notFound('translation');
      if (!allows({ level, scope: viewer.scope }, TRANSLATION_NEEDS[permission]))
        throw new DomainError('forbidden', `You need "${permission}" on both spaces of this translation.`);
      return next({ ctx: { translation, level } });
    });
