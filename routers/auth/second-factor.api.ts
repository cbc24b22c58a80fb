import { z } from 'zod';
import { SignInObject } from './sessions.api.ts';

export const SecondFactorObject = z
  .object({
    object: z.literal('second-factor').describe('The type of the object: always `second-factor`.'),
    totp: z.boolean().describe('Whether there is an authenticator app, whose codes are asked for.'),
    recoveryCodes: z.int().describe('How many are left.'),
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
  secret: z.string().describe('In base32, for typing.'),
  uri: z.string().describe('The same as an `otpauth:` URI, for a QR code.'),
});

export const RecoveryCodes = z
  .array(z.string())
  .describe('Codes that stand in for the app, once each. They are not shown again.');

/** A sign-in that a first code may have completed. */
export const SecondFactorSignInObject = SignInObject.extend({
  recoveryCodes: RecoveryCodes.optional().describe('How many recovery codes are left.'),
}).meta({ id: 'SecondFactorSignIn', description: 'The end of a sign-in by second factor.' });

/** Whether an organization requires a second factor. */
export const SecondFactorPolicyObject = z
  .object({
    object: z
      .literal('second-factor-policy')
      .describe('The type of the object: always `second-factor-policy`.'),
    required: z.boolean().describe('Whether members have to use a second factor.'),
  })
  .meta({
    id: 'SecondFactorPolicy',
    description: 'Whether the members of an organization need a second factor.',
  });
