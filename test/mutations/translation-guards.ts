import type { Guard } from './guards.ts';

const TRANSLATIONS = ['test/translations/translations.test.ts'];
const TEXTS = ['test/engine/translation/translation.test.ts'];

/** Guards of translations: who may have them, and what a run leaves alone. */
export const TRANSLATION_GUARDS: Guard[] = [
  {
    name: 'a translation is found by those who may view both of its spaces',
    file: 'routers/translations/translations.query.ts',
    find: "  return all.where('translation.source_id', 'in', visible)",
    replace: '  return all',
    tests: TRANSLATIONS,
  },
  {
    name: 'a translation is run by those who may edit both of its spaces',
    file: 'routers/translations/translations.query.ts',
    find: 'return includes(onSource, onResult) ? onResult : onSource;',
    replace: 'return onSource;',
    tests: TRANSLATIONS,
  },
  {
    name: 'a run reads the source only for those who may',
    file: 'routers/translations/run.operation.ts',
    find: '!includes(onSource, TRANSLATION_NEEDS.view.level)',
    replace: 'false',
    tests: TRANSLATIONS,
  },
  {
    name: 'a translation of a space is one of its organization',
    file: 'routers/translations/translations.router.ts',
    find: "if (space.organization !== organization.id) throw notFound('space');",
    replace: '',
    tests: ['test/contract/foreign.test.ts'],
  },
  {
    name: 'a translated text has all of its parts',
    file: 'routers/engine/translation/tagged-text.ts',
    find: 'return visit(pieces, undefined) && seen.size === expectedTags.size;',
    replace: 'return visit(pieces, undefined);',
    tests: TEXTS,
  },
  {
    name: 'a part of a text stays in its group',
    file: 'routers/engine/translation/tagged-text.ts',
    find: 'expected.parent !== parent || ',
    replace: '',
    tests: TEXTS,
  },
  {
    name: 'a translation that a run needs is not removed',
    file: 'routers/translations/memory.operation.ts',
    find: '  await noteUse(db, organization, stale);\n',
    replace: '',
    tests: TRANSLATIONS,
  },
  {
    name: 'a translation that nothing needs is removed after a year',
    file: 'routers/translations/memory.operation.ts',
    find: 'const RETENTION = 365;',
    replace: 'const RETENTION = 3650;',
    tests: TRANSLATIONS,
  },
];
