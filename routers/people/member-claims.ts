import { SignJWT } from 'jose';
import type { User } from '../../schema/entities/user.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Membership } from '../access/levels.ts';
import type { Signer } from '../base/ports.ts';

/** The purpose that the signing key is derived for. */
const PURPOSE = 'member-claims';

/**
 * A JWT, valid for an hour, that identifies a member of an organization: signed for an audience of its own, so that it
 * gives access to nothing.
 */
export const signMemberClaims = (
  signer: Pick<Signer, 'key'>,
  user: Pick<Presentable<User>, 'id' | 'displayName' | 'email'>,
  organization: string,
  { role }: Membership,
): Promise<string> =>
  new SignJWT({ organization, role, displayName: user.displayName, email: user.email })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer('colophon')
    .setAudience('colophon:member')
    .setSubject(user.id)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(signer.key(PURPOSE));
