import { z } from 'zod';
import { SignInObject } from './sessions.api.ts';

export const SecondFactorObject = z
  .object({
    object: z.literal('second-factor').describe('The type of the object: always `second-factor`.'),
    totp: z.boolean().describe('Whether an authenticator app is turned on.'),
    recoveryCodes: z.int().describe('How many recovery codes are left.'),
    required: z.boolean().describe('Whether an organization of the user requires a second factor.'),
  })
  .meta({ id: 'SecondFactor', description: 'The second factor of an account.' });

export const presentSecondFactor = ({
  isEnrolled,
  recoveryCodes,
  isRequired,
}: {
  isEnrolled: boolean;
  recoveryCodes: number;
  isRequired: boolean;
}): z.infer<typeof SecondFactorObject> => ({
  object: 'second-factor',
  totp: isEnrolled,
  recoveryCodes,
  required: isRequired,
});

export const TotpSecretObject = z.object({
  secret: z.string().describe('The secret in base32, for typing it in.'),
  uri: z.string().describe('The secret as an `otpauth:` URI, for a QR code.'),
});

export const RecoveryCodes = z
  .array(z.string())
  .describe('Codes that can each be used once instead of a code of the app. They are not shown again.');

/** A sign-in by second factor; recovery codes are returned if it turned an app on. */
export const SecondFactorSignInObject = SignInObject.extend({
  recoveryCodes: RecoveryCodes.optional().describe(
    'The recovery codes of the app, if this code turned it on.',
  ),
}).meta({ id: 'SecondFactorSignIn', description: 'The result of a sign-in by second factor.' });

/** Whether an organization requires a second factor. */
export const SecondFactorPolicyObject = z
  .object({
    object: z
      .literal('second-factor-policy')
      .describe('The type of the object: always `second-factor-policy`.'),
    required: z.boolean().describe('Whether members must use a second factor.'),
  })
  .meta({
    id: 'SecondFactorPolicy',
    description: 'Whether the members of an organization need a second factor.',
  });
