import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise } from '../columns.ts';
import { Space } from './space.ts';

/**
 * A page of the active revision of a space whose condition names claims of visitors. Kept with the content, so that a
 * site can tell which pages need a claim without reading all of them.
 */
export const PageCondition = defineEntity({
  name: 'PageCondition',
  tableName: 'page_condition',
  primaryKeys: ['space', 'page'],
  properties: {
    space: () => p.manyToOne(Space).mapToPk().primary().deleteRule('cascade'),
    page: bytewise().primary(),
    title: p.text(),
    /** As conditions name them: `isPro`, `unsigned.isBeta`. */
    claims: p.array(),
  },
});
export type PageCondition = InferEntity<typeof PageCondition>;
