import { z } from 'zod';
import type { Organization } from '../../schema/entities/organization.ts';
import type { User } from '../../schema/entities/user.ts';
import type { Presentable } from '../../schema/rows.ts';
import { operatorViewer } from '../access/viewer.ts';
import { SessionObject } from '../auth/sessions.api.ts';
import { isoTime, optionalTime } from '../base/common-schemas.ts';
import type { Urls } from '../base/ports.ts';
import { NewTokenObject, TokenObject } from '../people/tokens.api.ts';
import { presentUser, UserObject } from '../people/users.api.ts';

/** A token as the operator sees it, with its owner. */
const owner = { user: z.object({ id: z.string(), email: z.string() }) };
export const OwnedTokenObject = TokenObject.extend(owner);
export const NewOwnedTokenObject = NewTokenObject.extend(owner);

/** A user as the operator sees them, always with the e-mail address. */
export const InstalledUserObject = UserObject.required({ email: true }).extend({
  disabledAt: z.string().optional(),
});

export const presentInstalledUser = (
  user: Presentable<User>,
  urls: Urls,
): z.infer<typeof InstalledUserObject> => ({
  ...presentUser(user, operatorViewer(urls)),
  email: user.email,
  disabledAt: optionalTime(user.disabledAt),
});

/** A link by which one person gets access. */
export const LinkObject = z.object({ url: z.string(), expiresAt: z.string().optional() });

/** A session as the operator sees it, with its user. */
export const OwnedSessionObject = SessionObject.omit({ current: true }).extend(owner);

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
