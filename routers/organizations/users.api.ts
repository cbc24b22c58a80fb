import { z } from 'zod';
import type { User } from '../../schema/entities/user.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Urls } from '../urls.ts';

/** The public object of a user. */
export const UserObject = z
  .object({
    object: z.literal('user'),
    id: z.string(),
    displayName: z.string(),
    email: z.string(),
    photoURL: z.string().optional(),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'User' });

export const presentUser = (user: Presentable<User>, urls: Urls): z.infer<typeof UserObject> => ({
  object: 'user',
  id: user.id,
  displayName: user.displayName,
  email: user.email,
  photoURL: user.photoURL ?? undefined,
  urls: { location: urls.location('users', user.id) },
});
