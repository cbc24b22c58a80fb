/** The fields of a page that a change gives, and whether its page may have them. */

import type { ContentRef } from '../document/document.ts';
import { type Json, type JsonObject, sameJson } from '../store/canonical.ts';
import type { PageFields } from '../store/edit.ts';
import { uniqueTags } from '../store/page-fields.ts';
import { type PageRecord, pageTypeName } from '../store/records.ts';
import { isRecord, withoutUndefined } from '../values.ts';
import { changeError } from './change-error.ts';
import type { ChangeOf } from './changes.ts';
import { type Names, resolveNames } from './parse-content.ts';

export function checkFields(
  index: number,
  type: PageRecord['type'],
  { document, target, computed }: Pick<ChangeOf<'update_page'>, 'document' | 'target' | 'computed'>,
): void {
  if (document && type !== 'document')
    throw changeError('invalid', `changes.${index}.document`, `A ${pageTypeName(type)} has no document.`);
  if (target && type !== 'link')
    throw changeError(
      'invalid',
      `changes.${index}.target`,
      `Only a link has a target, not a ${pageTypeName(type)}.`,
    );
  if (computed && type !== 'computed')
    throw changeError(
      'invalid',
      `changes.${index}.computed`,
      `Only a computed page has a source, not a ${type}.`,
    );
}

type ChangedFields = Omit<
  Partial<ChangeOf<'update_page'>>,
  'operation' | 'page' | 'document' | 'into' | 'at'
>;

/** Converts the fields of a change to stored fields: false flags are removed. */
export function fieldsOf(given: ChangedFields, names: Names): PageFields {
  const { cover, target, hidden, noIndex, noRobotsIndex, layout, variables, tags, ...plain } = given;
  const ref = (value: ContentRef | undefined) => value && resolveNames(value, names);
  const flag = (value: boolean | undefined) => (value === false ? null : value);
  const fields = {
    ...plain,
    layout,
    variables,
    tags: tags === null ? [] : tags && uniqueTags(tags),
    cover: cover && { ...cover, ref: ref(cover.ref), refDark: ref(cover.refDark) },
    target: ref(target),
    hidden: flag(hidden),
    noIndex: flag(noIndex),
    noRobotsIndex: flag(noRobotsIndex),
  };
  return deeplyWithoutUndefined(fields) as PageFields;
}

/** Returns a copy without undefined fields, including nested objects. */
const deeplyWithoutUndefined = (value: object): JsonObject =>
  Object.fromEntries(
    Object.entries(withoutUndefined(value)).map(([name, inner]) => [
      name,
      isRecord(inner) ? deeplyWithoutUndefined(inner) : (inner as Json),
    ]),
  );

export const withoutNulls = (fields: PageFields): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

export const sameValue = (value: unknown, before: unknown): boolean =>
  sameJson(value ?? null, before ?? null);
