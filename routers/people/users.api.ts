import { z } from 'zod';
import type { User } from '../../schema/entities/user.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import { mayViewMember } from './access.ts';

/** The public object of a user. */
export const UserObject = z
  .object({
    object: z.literal('user').describe('The type of the object: always `user`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    displayName: z.string().describe('The name that is shown to others.'),
    email: z
      .string()
      .optional()
      .describe(
        'The e-mail address; only visible to the user, and to those who may list the members of a shared organization.',
      ),
    photoURL: z.string().optional().describe('The URL of a photo of the user.'),
    urls: z
      .object({ location: z.string().describe('The URL of the object in this API.') })
      .describe('The URLs of the object.'),
  })
  .meta({ id: 'User', description: 'A person or service with an account.' });

/** A user whose e-mail address may be hidden, as by `visibleUserColumns`. */
export type VisibleUser = Pick<Presentable<User>, 'id' | 'displayName' | 'photoURL'> & {
  email: string | null;
};

/** Users by id. */
export type VisibleUsers = ReadonlyMap<string, VisibleUser>;

export const presentUser = (user: VisibleUser, viewer: Viewer): z.infer<typeof UserObject> => ({
  object: 'user',
  id: user.id,
  displayName: user.displayName,
  email: mayViewMember(viewer, user.id) ? (user.email ?? undefined) : undefined,
  photoURL: user.photoURL ?? undefined,
  urls: { location: viewer.urls.location('users', user.id) },
});
