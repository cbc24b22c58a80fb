import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** An identity provider's private key and certificate, both as PEM. */
export interface Signer {
  key: string;
  certificate: string;
}

const der = (tag: number, ...contents: Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};
const sequence = (...contents: Uint8Array[]) => der(0x30, ...contents);
const integer = (value: number) => der(0x02, Buffer.from([value]));
const COMMON_NAME = Buffer.from([0x06, 3, 0x55, 4, 3]);
const SHA256_WITH_RSA = sequence(
  Buffer.from([0x06, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 11]),
  Buffer.from([0x05, 0]),
);
const nameOf = (name: string) => sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name)))));
const timeOf = (time: Date) =>
  der(0x18, Buffer.from(`${time.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));
const pem = (label: string, bytes: Buffer) =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END ${label}-----\n`;

/** A self-signed certificate for an RSA key. */
function certify(
  { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject },
  name: string,
  from: Date,
  to: Date,
): string {
  const content = sequence(
    der(0xa0, integer(2)),
    integer(1),
    SHA256_WITH_RSA,
    nameOf(name),
    sequence(timeOf(from), timeOf(to)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = createSign('sha256').update(content).sign(privateKey);
  return pem('CERTIFICATE', sequence(content, SHA256_WITH_RSA, der(0x03, Buffer.from([0]), signature)));
}

/** A new key with a certificate that is valid for a hundred years, or for the given period. */
export function newSigner(
  name: string,
  [from, to]: [from: Date, to: Date] = [new Date('2020-01-01'), new Date('2120-01-01')],
): Signer {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  return { key, certificate: certify(keys, name, from, to) };
}
