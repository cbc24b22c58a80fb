import { z } from 'zod';
import { authenticatedProcedure } from '../base/trpc.ts';
import { editInput } from '../engine/edit/changes.ts';

/** The start of a procedure that edits the content of a space: reads the changes before what they are of. */
export const editProcedure = authenticatedProcedure.input(
  z.object({ spaceId: z.string().describe('The id of the space.'), ...editInput }),
);
