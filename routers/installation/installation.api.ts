import { z } from 'zod';
import type { Organization } from '../../schema/entities/organization.ts';
import type { User } from '../../schema/entities/user.ts';
import type { Presentable } from '../../schema/rows.ts';
import { operatorViewer } from '../access/viewer.ts';
import { NewTokenObject, TokenObject } from '../people/tokens.api.ts';
import { presentUser, UserObject } from '../people/users.api.ts';
import type { Urls } from '../ports.ts';
import { isoTime } from '../values.ts';

/** A token as the operator sees it, with its owner. */
const owner = { user: z.object({ id: z.string(), email: z.string() }) };
export const OwnedTokenObject = TokenObject.extend(owner);
export const NewOwnedTokenObject = NewTokenObject.extend(owner);

/** A user as the operator sees them, always with the e-mail address. */
export const InstalledUserObject = UserObject.required({ email: true });

export const presentInstalledUser = (
  user: Presentable<User>,
  urls: Urls,
): z.infer<typeof InstalledUserObject> => ({
  ...presentUser(user, operatorViewer(urls)),
  email: user.email,
});

/** An organization as the operator sees it, without being a member. */
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

/** The result of an import of a folder. */
export const ImportOutcomeObject = z.object({
  /** Id of the space, and of its new revision. */
  space: z.string(),
  revision: z.string(),
  pages: z.number().int(),
  files: z.number().int(),
  reusableContents: z.number().int(),
  /** Content objects that were not stored before. */
  newObjects: z.number().int(),
  report: z.array(
    z.object({
      file: z.string(),
      line: z.number().int().optional(),
      severity: z.enum(['info', 'warning', 'error']),
      message: z.string(),
    }),
  ),
});
