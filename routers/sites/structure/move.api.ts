import { z } from 'zod';

const id = z.string().describe('Its id.');

/** Something of the structure of a site. */
export const ItemPointer = z.object({
  type: z.enum(['site-section', 'site-section-group', 'site-space']).describe('The type of the item.'),
  id,
});
export type ItemPointer = z.infer<typeof ItemPointer>;

const described = 'What to put it next to; at the end by default.';

const between = <Pointer extends z.ZodType>(pointer: Pointer) =>
  z.object({
    before: pointer.optional().describe('Directly before this one.'),
    after: pointer.optional().describe('Directly after this one.'),
  });

/** Where to move something. */
export const ItemPosition = between(ItemPointer).describe(described);
export type ItemPosition = z.infer<typeof ItemPosition>;

const pointing = <Pointer extends z.ZodType<unknown, unknown>>(pointer: Pointer) =>
  between(pointer).default({}).describe(described);

/** The same for sections alone. */
export const SectionPosition = pointing(
  z
    .object({
      type: z.literal('site-section').describe('Always `site-section`.'),
      siteSection: id.describe('The id of the section.'),
    })
    .transform(({ type, siteSection }): ItemPointer => ({ type, id: siteSection })),
);

/** The same for groups, which are beside sections. */
export const GroupPosition = pointing(
  ItemPointer.extend({
    type: ItemPointer.shape.type.exclude(['site-space']).describe('The type of the item.'),
  }),
);

/** The same for site spaces. */
export const SiteSpacePosition = pointing(
  z
    .object({
      type: z.literal('site-space').describe('Always `site-space`.'),
      siteSpace: id.describe('The id of the site space.'),
    })
    .transform(({ type, siteSpace }): ItemPointer => ({ type, id: siteSpace })),
);
