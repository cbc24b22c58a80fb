import { z } from 'zod';
import { editInput } from '../engine/edit/changes.ts';
import { authenticatedProcedure } from '../trpc.ts';

/** The start of a procedure that edits the content of a space: reads the changes before what they are of. */
export const editProcedure = authenticatedProcedure.input(z.object({ spaceId: z.string(), ...editInput }));
