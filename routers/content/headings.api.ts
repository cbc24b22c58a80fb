import { z } from 'zod';

export const HeadingObject = z
  .object({
    page: z.string().describe('The id of the page.'),
    anchor: z.string().describe('The anchor, by which references name it.'),
    title: z.string().describe('The title as plain text, shortened if it is long.'),
  })
  .meta({ id: 'PageHeading', description: 'A heading or an expandable on a page.' });
