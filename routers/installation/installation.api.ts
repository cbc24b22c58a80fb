import { z } from 'zod';
import type { Organization } from '../../schema/entities/organization.ts';
import type { Presentable } from '../../schema/rows.ts';
import { NewTokenObject, TokenObject } from '../organizations/tokens.api.ts';
import { isoTime } from '../time.ts';

/** A token as the operator sees it: with its owner. */
const owner = { user: z.object({ id: z.string(), email: z.string() }) };
export const OwnedTokenObject = TokenObject.extend(owner);
export const NewOwnedTokenObject = NewTokenObject.extend(owner);

/** An organization as the operator sees it, who is no member of it. */
export const InstalledOrganizationObject = z.object({
  object: z.literal('organization'),
  id: z.string(),
  title: z.string(),
  createdAt: z.string(),
  members: z.number().int(),
});

export const presentInstalledOrganization = (
  { id, title, createdAt }: Pick<Presentable<Organization>, 'id' | 'title' | 'createdAt'>,
  members: number,
): z.infer<typeof InstalledOrganizationObject> => ({
  object: 'organization',
  id,
  title,
  createdAt: isoTime(createdAt),
  members,
});
