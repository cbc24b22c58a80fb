import { z } from 'zod';
import type { Session } from '../../schema/entities/session.ts';
import { SIGN_IN_METHODS } from '../../schema/enums.ts';
import type { Presentable } from '../../schema/rows.ts';
import { isoTime } from '../base/common-schemas.ts';
import { deviceOf } from './device.ts';

/** A browser in which the caller is signed in. */
export const SessionObject = z
  .object({
    object: z.literal('session').describe('The type of the object: always `session`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    current: z.boolean().describe('Whether it is the session of this request.'),
    method: z.enum(SIGN_IN_METHODS).describe('How the person signed in.'),
    secondFactor: z.boolean().describe('Whether the person used a second factor.'),
    device: z.string().describe('The browser and the system, as the browser names them.'),
    address: z.string().describe('The network address that the person signed in from.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    lastSeenAt: z.string().describe('When it was last used, accurate to a minute.'),
    expiresAt: z.string().describe('When it ends, unless it is used before.'),
  })
  .meta({ id: 'Session', description: 'A browser in which the caller is signed in.' });

export const presentSession = (
  session: Presentable<Session>,
  current: string,
): z.infer<typeof SessionObject> => ({
  object: 'session',
  id: session.id,
  current: session.id === current,
  method: session.method,
  secondFactor: session.secondFactor ?? false,
  device: deviceOf(session.userAgent ?? ''),
  address: session.address,
  createdAt: isoTime(session.createdAt),
  lastSeenAt: isoTime(session.lastSeenAt),
  expiresAt: [isoTime(session.idleExpiresAt), isoTime(session.expiresAt)].sort()[0] as string,
});

/** The result of a sign-in. */
export const SignInObject = z
  .object({
    object: z.literal('sign-in').describe('The type of the object: always `sign-in`.'),
    complete: z
      .boolean()
      .describe('Whether the browser has a session now; otherwise a second factor is required.'),
    next: z
      .string()
      .describe('The path to go to next: the path to return to, or the page for the second factor.'),
  })
  .meta({ id: 'SignIn', description: 'The result of a sign-in.' });

export const presentSignIn = ({
  isComplete,
  next,
}: {
  isComplete: boolean;
  next: string;
}): z.infer<typeof SignInObject> => ({ object: 'sign-in', complete: isComplete, next });
