import { z } from 'zod';

const id = z.string().describe('The id of the item.');

/** A reference to an item in the structure of a site. */
export const ItemPointer = z.object({
  type: z.enum(['site-section', 'site-section-group', 'site-space']).describe('The type of the item.'),
  id,
});
export type ItemPointer = z.infer<typeof ItemPointer>;

const POSITION = 'The item to move it next to; by default, it moves to the end.';

const between = <Pointer extends z.ZodType>(pointer: Pointer) =>
  z.object({
    before: pointer.optional().describe('The item that it comes directly before.'),
    after: pointer.optional().describe('The item that it comes directly after.'),
  });

/** The position to move an item to. */
export const ItemPosition = between(ItemPointer).describe(POSITION);
export type ItemPosition = z.infer<typeof ItemPosition>;

const positionOf = <Pointer extends z.ZodType<unknown, unknown>>(pointer: Pointer) =>
  between(pointer).default({}).describe(POSITION);

/** The position of a section: next to other sections. */
export const SectionPosition = positionOf(
  z
    .object({
      type: z.literal('site-section').describe('Always `site-section`.'),
      siteSection: id.describe('The id of the section.'),
    })
    .transform(({ type, siteSection }): ItemPointer => ({ type, id: siteSection })),
);

/** The position of a group: next to sections and other groups. */
export const GroupPosition = positionOf(
  ItemPointer.extend({
    type: ItemPointer.shape.type.exclude(['site-space']).describe('The type of the item.'),
  }),
);

/** The position of a site space: next to other site spaces. */
export const SiteSpacePosition = positionOf(
  z
    .object({
      type: z.literal('site-space').describe('Always `site-space`.'),
      siteSpace: id.describe('The id of the site space.'),
    })
    .transform(({ type, siteSpace }): ItemPointer => ({ type, id: siteSpace })),
);
