import { z } from 'zod';
import type { Passkey } from '../../schema/entities/passkey.ts';
import type { Presentable } from '../../schema/rows.ts';
import { isoTime, optionalTime } from '../base/common-schemas.ts';

export const PasskeyObject = z
  .object({
    object: z.literal('passkey').describe('The type of the object: always `passkey`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    name: z.string().describe('The name that its owner gave it.'),
    synced: z.boolean().describe('Whether it is synchronized between devices.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    lastUsedAt: z.string().optional().describe('When it was last used; absent if never.'),
  })
  .meta({ id: 'Passkey', description: 'A key with which the caller signs in without a password.' });

export const presentPasskey = (passkey: Presentable<Passkey>): z.infer<typeof PasskeyObject> => ({
  object: 'passkey',
  id: passkey.id,
  name: passkey.name,
  synced: passkey.isSynced,
  createdAt: isoTime(passkey.createdAt),
  lastUsedAt: optionalTime(passkey.lastUsedAt),
});

/** Bytes in base64url. Authenticators send a few hundred. */
const Bytes = (max: number) => z.base64url().min(1).max(max);

/** At most 1,023 bytes by WebAuthn, in base64url. */
const CredentialId = Bytes(1364);
const credential = {
  id: CredentialId.describe('The id of the credential, base64url encoded.'),
  rawId: CredentialId.describe('The id of the credential, base64url encoded.'),
  type: z.literal('public-key').describe('Always `public-key`.'),
  authenticatorAttachment: z
    .string()
    .max(50)
    .nullish()
    .describe('Whether the authenticator is part of the device.'),
};

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

/** The result of `PublicKeyCredential.toJSON()` in browsers after `navigator.credentials.create()`. */
export const RegistrationCredential = z.object({
  ...credential,
  response: z
    .object({
      clientDataJSON: Bytes(4000).describe('The client data that the authenticator signed.'),
      attestationObject: Bytes(8000).describe('The attestation of the new key.'),
      transports: z
        .array(z.string().max(50))
        .max(20)
        .optional()
        .describe('How the browser can communicate with the authenticator.'),
    })
    .describe('The response of the authenticator, base64url encoded.'),
});

/** The same after `navigator.credentials.get()`. */
export const AuthenticationCredential = z.object({
  ...credential,
  response: z
    .object({
      clientDataJSON: Bytes(4000).describe('The client data that the authenticator signed.'),
      authenticatorData: Bytes(4000).describe('The data that the authenticator signed.'),
      signature: Bytes(4000).describe('The signature over them.'),
      userHandle: z
        .string()
        .max(200)
        .nullish()
        .describe('The handle of the account that the authenticator has the key for.'),
    })
    .describe('The response of the authenticator, base64url encoded.'),
});

/** The known transports among those given. */
export const knownTransports = (given: readonly string[] = []): string[] =>
  TRANSPORTS.filter((transport) => given.includes(transport));

const Descriptor = z.object({
  id: z.string().describe('The id of the credential, base64url encoded.'),
  type: z.string().describe('Always `public-key`.'),
  transports: z
    .array(z.string())
    .optional()
    .describe('How the browser can communicate with the authenticator.'),
});

/** For `PublicKeyCredential.parseCreationOptionsFromJSON()` of browsers. */
export const CreationOptions = z.object({
  rp: z
    .object({
      id: z.string().optional().describe('The domain that the key is bound to.'),
      name: z.string().describe('The name that the browser shows.'),
    })
    .describe('The service that the key is for.'),
  user: z
    .object({
      id: z.string().describe('The handle of the account, base64url encoded.'),
      name: z.string().describe('The name of the account.'),
      displayName: z.string().describe('The name that the browser shows.'),
    })
    .describe('The account that the key is made for.'),
  challenge: z.string().describe('The random value to sign, base64url encoded.'),
  pubKeyCredParams: z
    .array(
      z.object({
        type: z.literal('public-key').describe('Always `public-key`.'),
        alg: z.number().describe('The number of the algorithm in COSE.'),
      }),
    )
    .describe('The algorithms that are accepted, best first.'),
  timeout: z.number().optional().describe('How long the browser waits for the person, in milliseconds.'),
  excludeCredentials: z.array(Descriptor).optional().describe('The keys that the account already has.'),
  authenticatorSelection: z
    .object({
      residentKey: z.string().optional().describe('Whether the key is kept on the authenticator.'),
      requireResidentKey: z.boolean().optional().describe('Whether it must be kept there.'),
      userVerification: z.string().optional().describe('Whether the authenticator verifies the person.'),
    })
    .optional()
    .describe('What is required of the authenticator.'),
  attestation: z.string().optional().describe('Whether an attestation of the authenticator is requested.'),
});

/** For `PublicKeyCredential.parseRequestOptionsFromJSON()` of browsers. */
export const RequestOptions = z.object({
  challenge: z.string().describe('The random value to sign, base64url encoded.'),
  timeout: z.number().optional().describe('How long the browser waits for the person, in milliseconds.'),
  rpId: z.string().optional().describe('The domain that the key is bound to.'),
  userVerification: z.string().optional().describe('Whether the authenticator verifies the person.'),
});
