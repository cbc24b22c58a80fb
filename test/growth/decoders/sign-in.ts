import { parsePreviewClaims } from '../../../routers/audience/preview-claims.ts';
import { parseRison } from '../../../routers/audience/rison.ts';
import { verifyVisitorJwt } from '../../../routers/audience/visitor-jwt.ts';
import { parseChallenge } from '../../../routers/auth/passkeys.operation.ts';
import { passwordProblem } from '../../../routers/auth/passwords.ts';
import { safeReturnTo } from '../../../routers/auth/return-to.ts';
import { EmailDomain, normalizeEmail } from '../../../routers/base/email-addresses.ts';
import { verifySamlResponse } from '../../../routers/engine/saml/verify.ts';
import { parseXml } from '../../../routers/engine/saml/xml.ts';
import { normalizeCertificates } from '../../../routers/saml/certificates.ts';
import { ADDRESSES, JSON_TEXTS, keys, nest, repeat, WORDS } from '../decoder-texts.ts';
import { type Decoder, orError, parsed } from './decoder.ts';

const SAML_EXPECTED = {
  certificates: [],
  issuer: '',
  audience: '',
  recipient: '',
  request: '',
  requestedAt: 0,
  now: 0,
};

/** Decoders of what proves who users and visitors are. */
export const SIGN_IN_DECODERS: Record<string, Decoder> = {
  'claims of a visitor': {
    modules: ['routers/audience/preview-claims.ts', 'routers/audience/rison.ts'],
    decode: orError(parsePreviewClaims),
    hostile: { ...JSON_TEXTS, Rison: repeat('a:!t,', '(', 'a:!t)') },
  },
  Rison: {
    modules: ['routers/audience/rison.ts'],
    decode: parseRison,
    hostile: {
      lists: nest('!(', ')'),
      items: repeat('a,', '!(', 'a)'),
      members: repeat('a:!t,', '(', 'a:!t)'),
      escapes: repeat('!!', "'", "'"),
      digits: repeat('9'),
      'an exponent': repeat('9', '1e'),
    },
  },
  'JWTs of visitors': {
    modules: ['routers/audience/visitor-jwt.ts', 'routers/access/visitor-token.ts'],
    decode: (text) => verifyVisitorJwt('k'.repeat(32), text, 0),
    hostile: {
      dots: repeat('.'),
      letters: repeat('QUJD', '', '.QUJD.QUJD'),
      header: (size) => `${Buffer.from(repeat('[')(size)).toString('base64url')}.e30.QUJD`,
    },
  },
  passwords: {
    modules: ['routers/auth/passwords.ts'],
    decode: (text) => passwordProblem(text, [text]),
    hostile: WORDS,
  },
  'paths to return to': {
    modules: ['routers/auth/return-to.ts'],
    decode: safeReturnTo,
    hostile: { ...ADDRESSES, dots: repeat('/..'), letters: repeat('%41', '/') },
  },
  'e-mail addresses': {
    modules: ['routers/base/email-addresses.ts'],
    decode: (text) => [normalizeEmail(text), parsed(EmailDomain)(text)],
    hostile: { ...WORDS, ligatures: repeat('\ufdfa', 'a@'), signs: repeat('@') },
  },
  certificates: {
    modules: ['routers/saml/certificates.ts'],
    decode: orError(normalizeCertificates),
    hostile: {
      ...WORDS,
      base64: repeat('QUJD'),
      blocks: repeat('-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n'),
      'blocks that do not end': repeat('-----BEGIN CERTIFICATE-----'),
      dashes: repeat('-'),
    },
  },
  'XML of SAML': {
    modules: ['routers/engine/saml/xml.ts'],
    decode: orError((text) => parseXml(text)),
    hostile: {
      elements: repeat('<a/>', '<a>', '</a>'),
      'elements in each other': nest('<a>', '</a>'),
      'elements that do not end': repeat('<a>'),
      attributes: keys((index) => ` a${index}="1"`, '<a', '/>'),
      'attributes that do not end': repeat('a', '<a a="'),
      namespaces: repeat('<a xmlns:b="c" b:d="e"/>', '<a>', '</a>'),
      references: repeat('&amp;', '<a>', '</a>'),
      'references that are none': repeat('&', '<a>', '</a>'),
      'references to characters': repeat('&#65;', '<a>', '</a>'),
      brackets: repeat(']]', '<a>', '</a>'),
      spaces: repeat(' ', '<a', '/>'),
      'a name': repeat('a', '<', '/>'),
      'a declaration': repeat(' ', '<?xml', '?><a/>'),
      'a document type': repeat('<!ENTITY a "b">', '<!DOCTYPE a [', ']><a/>'),
      comments: repeat('<!---->', '<a>', '</a>'),
    },
  },
  'responses of SAML providers': {
    modules: ['routers/engine/saml/verify.ts'],
    decode: (text) => verifySamlResponse({ ...SAML_EXPECTED, response: text }).catch(String),
    hostile: { ...WORDS, base64: repeat('QUJD'), 'lines of base64': repeat('QUJD\n'), spaces: repeat(' ') },
  },
  'answers of passkeys': {
    modules: ['routers/auth/passkeys.operation.ts'],
    decode: (text) => parseChallenge(Buffer.from(text).toString('base64url')),
    hostile: {
      ...WORDS,
      arrays: repeat('['),
      objects: repeat('{"challenge":'),
      texts: repeat('a', '{"challenge":"', '"}'),
    },
  },
};
