import { describe, expect, test } from 'vitest';
import { type SamlResponse, verifySamlResponse } from '../../../routers/engine/saml/verify.ts';
import { newSigner } from '../../helpers/certificates.ts';
import { base64, type ResponseParts, responseXml, sign } from '../../helpers/saml-response.ts';

const provider = newSigner('login.example');
const next = newSigner('next.example');
const stranger = newSigner('stranger.example');
const expired = newSigner('expired.example', [new Date('2020-01-01'), new Date('2021-01-01')]);

const NOW = Date.parse('2026-06-01T12:00:00Z');
const ENTITY = 'https://login.example/metadata';
const ACS = 'https://docs.example/auth/saml/1/acs';
const SERVICE = 'https://docs.example/auth/saml/1/metadata';
const REQUEST = '_request1';

const PARTS: ResponseParts = {
  issuer: ENTITY,
  audience: SERVICE,
  recipient: ACS,
  destination: ACS,
  request: REQUEST,
  now: NOW,
  nameId: 'ann-1',
};

const verify = (xml: string, expected: Partial<SamlResponse> = {}) =>
  verifySamlResponse({
    response: base64(xml),
    certificates: [provider.certificate],
    issuer: ENTITY,
    audience: SERVICE,
    recipient: ACS,
    request: REQUEST,
    requestedAt: NOW - 30_000,
    now: NOW,
    ...expected,
  });

const response = (parts: Partial<ResponseParts> = {}, signer = provider) =>
  responseXml({ ...PARTS, ...parts }, signer);

const ann = { nameId: 'ann-1', email: 'ann@login.example', displayName: undefined, endsAt: undefined };

test.for<[string, ('Response' | 'Assertion')[]]>([
  ['its assertion is signed', ['Assertion']],
  ['it is signed', ['Response']],
  ['both are signed', ['Assertion', 'Response']],
])('a response is accepted if %s', async ([, signed]) => {
  expect(await verify(response({ signed }))).toEqual(ann);
});

test('a response is accepted if it is signed with either of two certificates', async () => {
  const certificates = [provider.certificate, next.certificate];
  expect(await verify(response({}, provider), { certificates })).toEqual(ann);
  expect(await verify(response({}, next), { certificates })).toEqual(ann);
});

test('a response is accepted with an XML declaration, line breaks, character references and unusual prefixes', async () => {
  const xml = response({
    nameId: 'a&amp;b',
    attributes: { email: 'ann@login.example', displayName: 'Ann &#x41; &lt;' },
    before: (plain) => plain.replaceAll('saml:', 'a:').replaceAll(':saml=', ':a=').replaceAll('><', '>\r\n<'),
  });
  const found = await verify(`\uFEFF<?xml version="1.0" encoding="UTF-8"?>\r\n${xml}`);
  expect(found).toEqual({ ...ann, nameId: 'a&b', displayName: 'Ann A <' });
});

test('a response is accepted if the clock of the provider is off by at most a minute', async () => {
  for (const off of [-59, 59]) expect(await verify(response({ now: NOW + off * 1000 }))).toEqual(ann);
});

test('the attribute names of all common vendors are recognized', async () => {
  const named = async (attributes: Record<string, string | string[]>, format?: string) => {
    const { email, displayName } = await verify(response({ attributes, nameId: 'id@x.example', format }));
    return { email, displayName };
  };
  const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
  expect(await named({ [`${claims}/emailaddress`]: 'a@x.example', [`${claims}/name`]: 'Ann' })).toEqual({
    email: 'a@x.example',
    displayName: 'Ann',
  });
  expect(
    await named({
      'urn:oid:0.9.2342.19200300.100.1.3': 'a@x.example',
      'urn:oid:2.16.840.1.113730.3.1.241': 'Ann',
    }),
  ).toEqual({ email: 'a@x.example', displayName: 'Ann' });
  const two = { email: ['a@x.example', 'b@x.example'] };
  expect((await named(two)).email).toBeUndefined();
  expect((await named(two, 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress')).email).toBe(
    'id@x.example',
  );
});

test('the end of the session at the provider is read from the response', async () => {
  const before = (xml: string) =>
    xml.replace('<saml:AuthnStatement', '<saml:AuthnStatement SessionNotOnOrAfter="2026-06-01T13:00:00Z"');
  expect((await verify(response({ before }))).endsAt).toBe(NOW + 3_600_000);
});

/** Replaces a text that must occur. */
const swap = (from: string | RegExp, to: string) => (xml: string) => {
  const changed = xml.replace(from, to);
  if (changed === xml) throw new Error(`there is no ${from}`);
  return changed;
};

describe('a response is rejected if it is', () => {
  test.for<[string, Partial<ResponseParts>, RegExp]>([
    ['not signed', { signed: [] }, /not signed/],
    ['by another issuer', { issuer: 'https://evil.example' }, /issued by/],
    ['for another audience', { audience: 'https://other.example' }, /audience/],
    ['for another recipient', { recipient: 'https://other.example' }, /recipient/],
    ['sent to another destination', { destination: 'https://other.example' }, /destination/],
    ['in response to another request', { request: '_other' }, /another request/],
    ['older than the request', { now: NOW - 400_000 }, /before it was requested/],
    ['issued in the future', { now: NOW + 61_000 }, /future/],
    ['with a transient NameID', { format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }, /NameID/],
    ['without a NameID', { nameId: '' }, /NameID/],
    ['signed with SHA-1', { signatureAlgorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }, /SHA-1/],
    ['with a SHA-1 digest', { digestAlgorithm: 'http://www.w3.org/2000/09/xmldsig#sha1' }, /SHA-1/],
    ['with other transforms', { transforms: ['http://www.w3.org/2001/10/xml-exc-c14n#'] }, /transforms/],
    [
      'with inclusive canonicalization',
      {
        transforms: [
          'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
          'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
        ],
      },
      /algorithm/,
    ],
    [
      'without an audience',
      { before: swap(/<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/, '') },
      /audience/,
    ],
    ['without conditions', { before: swap(/<saml:Conditions.*<\/saml:Conditions>/, '') }, /Conditions/],
    [
      'with an unknown condition',
      { before: swap('<saml:AudienceRestriction>', '<saml:Condition/><saml:AudienceRestriction>') },
      /condition/,
    ],
    [
      'with a second audience restriction',
      {
        before: swap(
          '<saml:AudienceRestriction>',
          '<saml:AudienceRestriction><saml:Audience>x</saml:Audience></saml:AudienceRestriction><saml:AudienceRestriction>',
        ),
      },
      /audience/,
    ],
    ['with a holder-of-key confirmation', { before: swap('cm:bearer', 'cm:holder-of-key') }, /bearer/],
    ['without a recipient', { before: swap(/ Recipient="[^"]*"/, '') }, /recipient/],
    [
      'with a confirmation without a request',
      { before: swap(/(<saml:SubjectConfirmationData) InResponseTo="[^"]*"/, '$1') },
      /another request/,
    ],
    [
      'with a confirmation without an end',
      { before: swap(/(InResponseTo="[^"]*") NotOnOrAfter="[^"]*"/, '$1') },
      /when it expires/,
    ],
    [
      'with an expired confirmation',
      {
        before: swap(/(InResponseTo="[^"]*") NotOnOrAfter="[^"]*"/, '$1 NotOnOrAfter="2026-06-01T11:59:00Z"'),
      },
      /expired/,
    ],
    [
      'with expired conditions',
      { before: swap(/(<saml:Conditions [^>]*NotOnOrAfter=)"[^"]*"/, '$1"2026-06-01T11:59:00Z"') },
      /expired/,
    ],
    [
      'with conditions that are not valid yet',
      { before: swap(/(<saml:Conditions NotBefore=)"[^"]*"/, '$1"2026-06-01T12:01:01Z"') },
      /not valid yet/,
    ],
    [
      'with a time in another time zone',
      { before: swap(/(<saml:Conditions NotBefore=)"[^"]*"/, '$1"2026-06-01T12:00:00+02:00"') },
      /time/,
    ],
    [
      'without an authentication statement',
      { before: swap(/<saml:AuthnStatement.*<\/saml:AuthnStatement>/, '') },
      /authenticated/,
    ],
    [
      'for a session that has ended',
      {
        before: swap(
          '<saml:AuthnStatement',
          '<saml:AuthnStatement SessionNotOnOrAfter="2026-06-01T11:59:59Z"',
        ),
      },
      /ended/,
    ],
    [
      'with an assertion of SAML 1.1',
      { before: swap('_assertion" Version="2.0"', '_assertion" Version="1.1"') },
      /2\.0/,
    ],
    [
      'with two assertions',
      {
        before: swap(
          '</samlp:Response>',
          '<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_second"/></samlp:Response>',
        ),
      },
      /more than one/,
    ],
    [
      'with two subjects',
      {
        before: swap(
          '<saml:Subject>',
          '<saml:Subject><saml:NameID>bob</saml:NameID></saml:Subject><saml:Subject>',
        ),
      },
      /exactly one/,
    ],
    [
      'with an encrypted assertion',
      {
        before: swap(
          '</samlp:Response>',
          '<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"/></samlp:Response>',
        ),
      },
      /encrypted/,
    ],
    [
      'with a duplicate ID',
      { before: swap('<samlp:Status>', '<samlp:Status Id="_assertion">') },
      /duplicate/,
    ],
    [
      'without success',
      { before: swap('status:Success', 'status:Responder') },
      /did not sign you in \(Responder\)/,
    ],
    [
      'with an unknown element next to the assertion',
      { before: swap('</samlp:Response>', '<x xmlns="urn:x"/></samlp:Response>') },
      /do not belong/,
    ],
  ])('%s', async ([, parts, problem]) => {
    await expect(verify(response(parts))).rejects.toThrow(problem);
  });

  test('a response signed by another party is rejected, even if it contains the certificate of the provider', async () => {
    await expect(verify(response({}, stranger))).rejects.toThrow(/no valid signature/);
    const named = { key: stranger.key, certificate: provider.certificate };
    await expect(verify(response({}, named))).rejects.toThrow(/no valid signature/);
  });

  test('a response with an assertion signed by another party is rejected, even if the provider signed the response', async () => {
    const inside = response({ signed: ['Assertion'] }, stranger);
    await expect(verify(sign(inside, 'Response', provider))).rejects.toThrow(/no valid signature/);
    const both = sign(response({ signed: ['Assertion'] }), 'Response', stranger);
    await expect(verify(both)).rejects.toThrow(/no valid signature/);
  });

  test('a response signed with an expired certificate is rejected, whatever was signed', async () => {
    await expect(verify(response({}, expired), { certificates: [expired.certificate] })).rejects.toThrow(
      /certificates of the SAML provider have expired/,
    );
    const certificates = [provider.certificate, expired.certificate];
    await expect(verify(response({}, expired), { certificates })).rejects.toThrow(/no valid signature/);
  });

  test.for<[string, ('Response' | 'Assertion')[], (xml: string) => string]>([
    ['its NameID', ['Assertion'], swap('>ann-1<', '>bob-1<')],
    ['an attribute', ['Response'], swap('ann@login.example', 'bob@login.example')],
    [
      'its status, if the whole response is signed',
      ['Response'],
      swap('status:Success"', 'status:Success" x="1"'),
    ],
    [
      'one of its two signatures',
      ['Assertion', 'Response'],
      swap(/<SignatureValue>.{4}/, '<SignatureValue>AAAA'),
    ],
    ['its digest', ['Assertion'], swap(/<DigestValue>.{4}/, '<DigestValue>AAAA')],
    ['its signature, which was removed', ['Assertion'], swap(/<Signature xmlns.*<\/Signature>/, '')],
  ])('a response that was altered is rejected: %s', async ([, signed, alter]) => {
    await expect(verify(alter(response({ signed })))).rejects.toThrow(/no valid signature|not signed/);
  });
});

describe('signature wrapping is rejected:', () => {
  const original = response();
  const whole = response({ signed: ['Response'] });
  const partOf = (xml: string, name: string) =>
    new RegExp(`<(\\w+:)?${name}[ >].*</(\\w+:)?${name}>`, 's').exec(xml)?.[0] ?? '';
  const assertion = partOf(original, 'Assertion');
  const signature = partOf(assertion, 'Signature');
  const unsigned = assertion.replace(signature, '');
  const evil = unsigned.replace('_assertion', '_evil').replace('>ann-1<', '>bob-1<');
  const rootSignature = partOf(whole, 'Signature');
  const evilResponse = whole
    .replace(rootSignature, '')
    .replace('ID="_response"', 'ID="_evil"')
    .replace('>ann-1<', '>bob-1<');
  const bare = whole.replace(rootSignature, '');
  const inObject = (xml: string) => signature.replace('</Signature>', `<Object>${xml}</Object></Signature>`);
  const put = (inner: string) => original.replace(assertion, inner);

  test.for<[string, string]>([
    [
      'XSW1: a forged response around the signed one, within its signature',
      evilResponse.replace(
        '</saml:Issuer><samlp:Status>',
        `</saml:Issuer>${rootSignature.replace('</Signature>', `<Object>${bare}</Object></Signature>`)}<samlp:Status>`,
      ),
    ],
    [
      'XSW2: the signed response before a signature in a forged one',
      evilResponse.replace('<samlp:Status>', `${bare}${rootSignature}<samlp:Status>`),
    ],
    ['XSW3: a forged assertion before the signed one', put(evil + assertion)],
    [
      'XSW4: a forged assertion around the signed one',
      put(evil.replace('</saml:Assertion>', `${assertion}</saml:Assertion>`)),
    ],
    [
      'XSW5: a forged assertion with the signature, the signed one after it',
      put(evil.replace('</saml:Issuer>', `</saml:Issuer>${signature}`) + unsigned),
    ],
    [
      'XSW6: the signed assertion in the signature of a forged one',
      put(evil.replace('</saml:Issuer>', `</saml:Issuer>${inObject(unsigned)}`)),
    ],
    [
      'XSW7: a forged assertion in extensions',
      put(`<samlp:Extensions>${evil}</samlp:Extensions>${assertion}`),
    ],
    [
      'XSW8: the signed assertion in an object of the signature of a forged one',
      put(evil.replace('</saml:Issuer>', `</saml:Issuer>${inObject(unsigned)}`).replace('ID="_evil"', '')),
    ],
    ['a forged assertion with the same ID', put(evil.replace('_evil', '_assertion') + assertion)],
    ['a forged assertion without an ID', put(evil.replace(' ID="_evil"', '') + assertion)],
    [
      'a forged assertion in another namespace',
      put(
        evil.replace('xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"', 'xmlns:saml="urn:x"') + assertion,
      ),
    ],
    [
      'the signed assertion in the advice of a forged one',
      put(
        evil.replace('<saml:AuthnStatement', `<saml:Advice>${assertion}</saml:Advice><saml:AuthnStatement`),
      ),
    ],
    ['a signature without a reference to its element', original.replace('URI="#_assertion"', 'URI=""')],
    [
      'a signature of the response in its assertion',
      put(assertion.replace('URI="#_assertion"', 'URI="#_response"')),
    ],
    ['a signature with two references', original.replace(/<Reference.*<\/Reference>/, '$&$&')],
    ['two signatures', original.replace(signature, signature + signature)],
    ['two values of a signature', original.replace(/<SignatureValue>.*<\/SignatureValue>/, '$&$&')],
    ['two digests', original.replace(/<DigestValue>.*<\/DigestValue>/, '<DigestValue>AAAA</DigestValue>$&')],
    ['a comment in a digest', original.replace('<DigestValue>', '<DigestValue><!--AAAA-->')],
    ['a comment in a name', original.replace('>ann-1<', '>ann<!---->-1<')],
    ['a processing instruction', original.replace('>ann-1<', '>ann<?x?>-1<')],
    ['a CDATA section', original.replace('>ann-1<', '><![CDATA[ann-1]]><')],
    ['an entity', `<!DOCTYPE x [<!ENTITY e "bob">]>${original.replace('>ann-1<', '>&e;<')}`],
    ['an assertion alone', assertion],
    [
      'a signed assertion as a response of another namespace',
      original.replace('SAML:2.0:protocol', 'SAML:2.0:other'),
    ],
  ])('%s', async ([, xml]) => {
    expect(xml).not.toBe(original);
    // Before the library, which would reject most of them as well.
    await expect(verify(xml)).rejects.toThrow(/rejected: it (?!has no valid signature)/);
  });

  test('signature wrapping is rejected, even with an additional signature by the attacker', async () => {
    const forged = sign(put(evil), 'Response', stranger);
    await expect(verify(forged)).rejects.toThrow(/no valid signature/);
  });
});
