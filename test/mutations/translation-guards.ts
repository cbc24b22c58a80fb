import { guard } from './guard.ts';
import { always, at, becomes, never } from './mutations.ts';

const TRANSLATIONS = ['test/translations/translations.test.ts', 'test/translations/runs.test.ts'];
const TEXTS = ['test/engine/translation/translation.test.ts'];

/** Guards of translations: who may have them, and what a run leaves alone. */
export const TRANSLATION_GUARDS = [
  guard(
    'translation-visible',
    'a translation is found by those who may view both of its spaces',
    TRANSLATIONS,
    at('object'),
  ),
  guard(
    'translation-edit-both',
    'a translation is run by those who may edit both of its spaces',
    TRANSLATIONS,
    never,
  ),
  guard('translation-run-enabled', 'a run is in the name of nobody whose account is disabled', TRANSLATIONS),
  guard('translation-run-meanwhile', 'a result is saved only for those who still may', TRANSLATIONS),
  guard('translation-run-source', 'a run reads the source only for those who may', TRANSLATIONS),
  guard(
    'translation-space-organization',
    'a translation of a space is one of its organization',
    'test/contract/foreign.test.ts',
  ),
  guard('translation-all-parts', 'a translated text has all of its parts', TEXTS, at('operand 2', always)),
  guard('translation-part-group', 'a part of a text stays in its group', TEXTS, at('operand 2')),
  guard('translation-memory-used', 'a translation that a run needs is not removed', TRANSLATIONS),
  guard(
    'translation-memory-retention',
    'a translation that nothing needs is removed after a year',
    TRANSLATIONS,
    at('value', becomes('3650')),
  ),
];
