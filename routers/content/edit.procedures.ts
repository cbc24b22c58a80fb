import { z } from 'zod';
import { authenticatedProcedure } from '../base/trpc.ts';
import { editInput } from '../engine/edit/changes.ts';

/** The start of a procedure that edits the content of a space: parses the changes before the content is loaded. */
export const editProcedure = authenticatedProcedure.input(
  z.object({ spaceId: z.string().describe('The id of the space.'), ...editInput }),
);
