import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const base64url = (data: Uint8Array | string) => Buffer.from(data).toString('base64url');

/** Flags of authenticator data. */
const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

/** Values that a device or browser sends instead of the correct ones. */
interface Overrides {
  origin?: string;
  rpId?: string;
  type?: string;
  challenge?: string;
  /** Whether the device has verified its user. */
  isVerified?: boolean;
  counter?: number;
  userHandle?: string | null;
  id?: string;
  format?: string;
  statement?: Map<string, unknown>;
  /** The signing key. */
  key?: KeyObject;
}

/** A software authenticator with one passkey: as much of WebAuthn as a service sees. */
export class TestAuthenticator {
  readonly id = base64url(randomBytes(32));
  readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  counter = 0;
  /** The handle of the user that the passkey is for. */
  userHandle = '';

  /** The public key as COSE. */
  get #publicKey(): Uint8Array {
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' });
    const coordinate = (value: string) => new Uint8Array(Buffer.from(value, 'base64url'));
    const key: [number, number | Uint8Array][] = [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, coordinate(x)],
      [-3, coordinate(y)],
    ];
    return isoCBOR.encode(new Map(key));
  }

  #data(
    { rpId = 'docs.test', isVerified = true, counter = this.counter }: Overrides,
    credential?: Buffer,
  ): Buffer {
    const flags = PRESENT | (isVerified ? VERIFIED : 0) | (credential ? ATTESTED : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, credential ?? Buffer.alloc(0)]);
  }

  #client(type: string, challenge: string, overrides: Overrides): string {
    const clientData = {
      type: overrides.type ?? type,
      challenge: overrides.challenge ?? challenge,
      origin: overrides.origin ?? 'http://docs.test',
    };
    return base64url(JSON.stringify({ ...clientData, crossOrigin: false }));
  }

  /** Creates the passkey from the service's options. */
  create({ challenge, user }: { challenge: string; user: { id: string } }, overrides: Overrides = {}) {
    this.userHandle = user.id;
    const id = Buffer.from(overrides.id ?? this.id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, id, this.#publicKey]);
    const attestation = new Map<string, unknown>([
      ['fmt', overrides.format ?? 'none'],
      ['attStmt', overrides.statement ?? new Map()],
      ['authData', new Uint8Array(this.#data(overrides, credential))],
    ]);
    return {
      id: base64url(id),
      rawId: base64url(id),
      type: 'public-key',
      response: {
        clientDataJSON: this.#client('webauthn.create', challenge, overrides),
        attestationObject: base64url(isoCBOR.encode(attestation as never)),
        transports: ['internal'],
      },
    };
  }

  /** Signs a challenge with the passkey. */
  use({ challenge }: { challenge: string }, overrides: Overrides = {}) {
    const clientDataJSON = this.#client('webauthn.get', challenge, overrides);
    const data = this.#data(overrides);
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    const id = overrides.id ?? this.id;
    return {
      id,
      rawId: id,
      type: 'public-key',
      response: {
        clientDataJSON,
        authenticatorData: base64url(data),
        signature: base64url(
          createSign('sha256')
            .update(signed)
            .sign(overrides.key ?? this.keys.privateKey),
        ),
        userHandle: overrides.userHandle === undefined ? this.userHandle : overrides.userHandle,
      },
    };
  }
}
