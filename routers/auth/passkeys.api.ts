import { z } from 'zod';
import type { Passkey } from '../../schema/entities/passkey.ts';
import type { Presentable } from '../../schema/rows.ts';
import { isoTime, optionalTime } from '../base/common-schemas.ts';

export const PasskeyObject = z
  .object({
    object: z.literal('passkey'),
    id: z.string(),
    name: z.string(),
    synced: z.boolean().describe('Whether it is kept on several devices.'),
    createdAt: z.string(),
    lastUsedAt: z.string().optional(),
  })
  .meta({ id: 'Passkey' });

export const presentPasskey = (passkey: Presentable<Passkey>): z.infer<typeof PasskeyObject> => ({
  object: 'passkey',
  id: passkey.id,
  name: passkey.name,
  synced: passkey.isSynced,
  createdAt: isoTime(passkey.createdAt),
  lastUsedAt: optionalTime(passkey.lastUsedAt),
});

/** What authenticators send is a few hundred bytes. */
const Bytes = (max: number) => z.base64url().min(1).max(max);

/** In base64url: at most 1,023 bytes, by WebAuthn. */
const CredentialId = Bytes(1364);
const credential = {
  id: CredentialId,
  rawId: CredentialId,
  type: z.literal('public-key'),
  authenticatorAttachment: z.string().max(50).nullish(),
};

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

/** As `PublicKeyCredential.toJSON()` of browsers has it after `navigator.credentials.create()`. */
export const NewCredential = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: Bytes(4000),
    attestationObject: Bytes(8000),
    transports: z.array(z.string().max(50)).max(20).optional(),
  }),
});

/** The same after `navigator.credentials.get()`. */
export const UsedCredential = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: Bytes(4000),
    authenticatorData: Bytes(4000),
    signature: Bytes(4000),
    userHandle: z.string().max(200).nullish(),
  }),
});

/** Those transports that are known. */
export const knownTransports = (given: readonly string[] = []): string[] =>
  TRANSPORTS.filter((transport) => given.includes(transport));

const Descriptor = z.object({
  id: z.string(),
  type: z.string(),
  transports: z.array(z.string()).optional(),
});

/** For `PublicKeyCredential.parseCreationOptionsFromJSON()` of browsers. */
export const CreationOptions = z.object({
  rp: z.object({ id: z.string().optional(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.number() })),
  timeout: z.number().optional(),
  excludeCredentials: z.array(Descriptor).optional(),
  authenticatorSelection: z
    .object({
      residentKey: z.string().optional(),
      requireResidentKey: z.boolean().optional(),
      userVerification: z.string().optional(),
    })
    .optional(),
  attestation: z.string().optional(),
});

/** For `PublicKeyCredential.parseRequestOptionsFromJSON()` of browsers. */
export const RequestOptions = z.object({
  challenge: z.string(),
  timeout: z.number().optional(),
  rpId: z.string().optional(),
  userVerification: z.string().optional(),
});
