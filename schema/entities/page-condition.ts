import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise } from '../columns.ts';
import { Space } from './space.ts';

/**
 * A page, in the active revision of a space, whose condition uses claims of visitors. Updated with the content, so that
 * the pages of a site that depend on a claim are found without reading all of them.
 */
export const PageCondition = defineEntity({
  name: 'PageCondition',
  tableName: 'page_condition',
  primaryKeys: ['space', 'page'],
  properties: {
    space: () => p.manyToOne(Space).mapToPk().primary().deleteRule('cascade'),
    page: bytewise().primary(),
    title: p.text(),
    /** As written in conditions: `isPro`, `unsigned.isBeta`. */
    claims: p.array(),
  },
});
export type PageCondition = InferEntity<typeof PageCondition>;
