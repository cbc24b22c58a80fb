import { describe, expect, test } from 'vitest';
import { sign } from '../../helpers/saml-response.ts';
import { response, stranger, verify } from './signed-responses.ts';

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
