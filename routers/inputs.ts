import { z } from 'zod';
import { DEFAULT_LEVELS, ROLES } from '../schema/enums.ts';

export const RoleSchema = z.enum(ROLES);
/** A role, or null for a guest. */
export const NullableRole = RoleSchema.nullable();
/** A default level as set: a role, `inherit`, or null for no default access. */
export const DefaultLevelSchema = z.enum(DEFAULT_LEVELS).nullable();
