import { createHmac, generateKeyPairSync } from 'node:crypto';
import { decodeJwt, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { fingerprintOf } from '../../routers/access/passes.ts';
import {
  signPreview,
  signVisitorToken,
  verifyPreview,
  verifyVisitorToken,
} from '../../routers/access/visitor-token.ts';
import { newId } from '../../schema/ids.ts';
import { createSigner } from '../../server/signer.ts';

const signer = createSigner('secret of the installation');
const VISITOR = {
  site: 'site',
  organization: 'organization',
  pass: { link: 'link' },
  claims: { signed: { isPro: true }, unsigned: { isBeta: false } },
};
const NOW = Date.parse('2026-11-22T03:04:05Z');

const base64 = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

test('a visitor token identifies the visitor and the site, and expires within 15 minutes', async () => {
  const token = await signVisitorToken(signer, VISITOR, NOW);
  for (const [minutes, visitor] of [
    [0, { kind: 'visitor', ...VISITOR }],
    [5, { kind: 'visitor', ...VISITOR }],
    [15, null],
  ] as const)
    expect(await verifyVisitorToken(signer, token, NOW + minutes * 60_000)).toEqual(
      visitor && expect.objectContaining(visitor),
    );
});

test('a visitor token has the claims as renderers read them, signed and unsigned ones apart', async () => {
  const claimsOf = async (signed: object, unsigned: object) => {
    const visitor = { ...VISITOR, claims: { signed: { ...signed }, unsigned: { ...unsigned } } };
    const token = await signVisitorToken(signer, visitor, NOW);
    const verified = await verifyVisitorToken(signer, token, NOW);
    return { claims: decodeJwt(token).claims, verified: verified?.claims };
  };
  expect(await claimsOf({ plan: 'pro' }, { isBeta: true })).toEqual({
    claims: { plan: 'pro', unsigned: { isBeta: true } },
    verified: { signed: { plan: 'pro' }, unsigned: { isBeta: true } },
  });
  // A signed claim cannot pass as unsigned ones.
  expect(await claimsOf({ unsigned: { isBeta: true } }, {})).toEqual({
    claims: undefined,
    verified: { signed: {}, unsigned: {} },
  });
});

test('a visitor token without claims is short enough for a part of a path', async () => {
  const id = newId();
  for (const pass of [{}, { link: id }, { key: fingerprintOf('key') }]) {
    const claims = { signed: {}, unsigned: {} };
    const token = await signVisitorToken(signer, { site: id, organization: id, pass, claims }, NOW);
    expect(token.length).toBeLessThanOrEqual(255);
  }
});

test('a visitor who asks for a token again within a while gets the same one', async () => {
  expect(await signVisitorToken(signer, VISITOR, NOW)).toBe(
    await signVisitorToken(signer, VISITOR, NOW + 1000),
  );
});

test('a preview is refused as a visitor token, and a visitor token as a preview', async () => {
  const preview = await signPreview(signer, VISITOR, NOW);
  expect(await verifyPreview(signer, preview, NOW + 59 * 60_000)).toMatchObject({
    kind: 'visitor',
    ...VISITOR,
  });
  expect(await verifyPreview(signer, preview, NOW + 60 * 60_000)).toBeNull();
  expect(await verifyVisitorToken(signer, preview, NOW)).toBeNull();
  expect(await verifyPreview(signer, await signVisitorToken(signer, VISITOR, NOW), NOW)).toBeNull();
});

describe('a visitor token is refused:', () => {
  const key = signer.key('visitor-token');
  const token = (header: object, payload: object, signature: (text: string) => string) => {
    const text = `${base64(header)}.${base64(payload)}`;
    return `${text}.${signature(text)}`;
  };
  const hmac =
    (algorithm: string, bytes = key.export()) =>
    (text: string) =>
      createHmac(algorithm, bytes).update(text).digest('base64url');
  const PAYLOAD = {
    iss: 'colophon',
    aud: 'visitor',
    sub: 'site',
    org: 'organization',
    exp: NOW / 1000 + 600,
  };
  const { exp: _, ...endless } = PAYLOAD;
  const HS256 = { alg: 'HS256' };
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const cases: Record<string, string | Promise<string>> = {
    nothing: '',
    'an API token': 'colophon_abc',
    'three words': 'a.b.c',
    'four parts': `${token(HS256, PAYLOAD, hmac('sha256'))}.a`,
    'no JSON': `${base64('x')}.${base64('y')}.${base64('z')}`,
    'alg none': token({ alg: 'none' }, PAYLOAD, () => ''),
    'alg none with a signature': token({ alg: 'none' }, PAYLOAD, hmac('sha256')),
    'alg nOnE': token({ alg: 'nOnE' }, PAYLOAD, hmac('sha256')),
    HS512: token({ alg: 'HS512' }, PAYLOAD, hmac('sha512')),
    RS256: new SignJWT(PAYLOAD).setProtectedHeader({ alg: 'RS256' }).sign(privateKey),
    'HS256 with a public key': token(
      HS256,
      PAYLOAD,
      hmac('sha256', publicKey.export({ type: 'spki', format: 'der' }) as Buffer<ArrayBuffer>),
    ),
    'another key': token(HS256, PAYLOAD, hmac('sha256', createSigner('other').key('visitor-token').export())),
    'a key for something else': token(HS256, PAYLOAD, hmac('sha256', signer.key('other').export())),
    'a signature cut short': token(HS256, PAYLOAD, hmac('sha256')).slice(0, -4),
    'another payload': token(HS256, PAYLOAD, () =>
      hmac('sha256')(`${base64(HS256)}.${base64({ ...PAYLOAD, sub: 'x' })}`),
    ),
    'an unknown critical header': token({ ...HS256, crit: ['x'], x: 1 }, PAYLOAD, hmac('sha256')),
    'no expiry': token(HS256, endless, hmac('sha256')),
    'an expiry that is no number': token(HS256, { ...PAYLOAD, exp: 'never' }, hmac('sha256')),
    'another audience': token(HS256, { ...PAYLOAD, aud: 'other' }, hmac('sha256')),
    'no audience': token(HS256, { ...PAYLOAD, aud: undefined }, hmac('sha256')),
    'another issuer': token(HS256, { ...PAYLOAD, iss: 'other' }, hmac('sha256')),
    'an unknown pass': token(HS256, { ...PAYLOAD, admin: true }, hmac('sha256')),
    'claims that are no object': token(HS256, { ...PAYLOAD, claims: 'all' }, hmac('sha256')),
    'unsigned claims that are no object': token(
      HS256,
      { ...PAYLOAD, claims: { unsigned: 'all' } },
      hmac('sha256'),
    ),
  };
  test.for(Object.keys(cases))('%s', async (name) => {
    expect(await verifyVisitorToken(signer, await (cases[name] as string), NOW)).toBeNull();
  });
  test('a visitor token is accepted if nothing is wrong with it', async () => {
    expect(await verifyVisitorToken(signer, token(HS256, PAYLOAD, hmac('sha256')), NOW)).not.toBeNull();
  });
});
