import { describe, expect, test } from 'vitest';
import { type ResponseParts, sign } from '../../helpers/saml-response.ts';
import { expired, NOW, next, provider, response, stranger, verify } from './signed-responses.ts';

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
