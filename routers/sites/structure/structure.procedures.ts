import { siteChangeProcedure } from '../../audience/site-change.procedures.ts';

/** A procedure that changes the structure of a site. */
export const structureProcedure = siteChangeProcedure('site.structure.updated', 'create');
