/** Validates the structure of a response before its signatures are verified. */

import { DomainError } from '../errors.ts';
import { ASSERTION, PROTOCOL, SIGNATURE, SUCCESS } from './names.ts';
import { attributeOf, childrenOf, elementsOf, type XmlElement } from './xml.ts';

/** The error for a response that is rejected; the reason helps the admin of the identity provider. */
export const rejected = (reason: string) =>
  new DomainError('forbidden', `The response of the identity provider was rejected: it ${reason}.`);

export interface SignedResponse {
  response: XmlElement;
  assertion: XmlElement;
  isResponseSigned: boolean;
  isAssertionSigned: boolean;
}

/** The allowed signature algorithms: none based on SHA-1, and none with a shared key. */
const SIGNATURE_METHODS = [
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
];
const DIGEST_METHODS = ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'];
const ENVELOPED_SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
/** The only ones that SAML allows; they are equivalent, since comments are rejected. */
const CANONICALIZATION_METHODS = [
  'http://www.w3.org/2001/10/xml-exc-c14n#',
  'http://www.w3.org/2001/10/xml-exc-c14n#WithComments',
];

const RESPONSE_NAMESPACES = [ASSERTION, PROTOCOL, SIGNATURE];

/**
 * Checks that a message is a response with exactly one assertion in its proper place, and that each signature signs its own
 * parent, so that nothing else can be mistaken for the signed content (signature wrapping).
 * @throws DomainError `forbidden`
 */
export function checkStructure(root: XmlElement): SignedResponse {
  if (root.name !== 'Response' || root.namespace !== PROTOCOL || attributeOf(root, 'Version') !== '2.0')
    throw rejected('is not a SAML 2.0 response');
  checkElements(root);
  // guard: saml-one-assertion
  if (root.children.some(({ namespace }) => !RESPONSE_NAMESPACES.includes(namespace)))
    throw rejected('contains elements that do not belong in a response');
  checkStatus(root);
  const [assertion] = childrenOf(root, ASSERTION, 'Assertion');
  if (!assertion) throw rejected('has no assertion');
  const isResponseSigned = isSigned(root);
  const isAssertionSigned = isSigned(assertion);
  if (!isResponseSigned && !isAssertionSigned) throw rejected('is not signed');
  return { response: root, assertion, isResponseSigned, isAssertionSigned };
}

/** Elements that may occur only once, and their allowed parents. */
const ALLOWED_PARENTS: Record<string, readonly string[]> = { Response: [''], Assertion: ['Response'] };

/** Checks all elements by local name, because libraries find some of them regardless of their namespace. */
function checkElements(root: XmlElement): void {
  const ids = new Set<string>();
  const counts = new Map<string, number>();
  const parents = new Map<XmlElement, XmlElement>();
  for (const element of elementsOf(root)) {
    for (const child of element.children) parents.set(child, element);
    for (const { name, value } of element.attributes) {
      if (name.toLowerCase() !== 'id') continue;
      // guard: saml-unique-ids
      if (ids.has(value)) throw rejected('has a duplicate ID');
      ids.add(value);
    }
    const { name } = element;
    const parent = parents.get(element)?.name ?? '';
    // guard: saml-encrypted
    if (name.startsWith('Encrypted'))
      throw rejected('is encrypted, which is not supported: turn encryption off at the provider');
    const places = ALLOWED_PARENTS[name];
    if (places) {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      if (count > 1) throw rejected(`has more than one ${name} element`);
      if (!places.includes(parent)) throw rejected(`has a misplaced ${name} element`);
    }
    if (name === 'Signature' && parent !== 'Response' && parent !== 'Assertion')
      throw rejected('has a misplaced signature');
  }
}

function checkStatus(response: XmlElement): void {
  const [status] = childrenOf(response, PROTOCOL, 'Status');
  const [code] = status ? childrenOf(status, PROTOCOL, 'StatusCode') : [];
  const value = code && attributeOf(code, 'Value');
  // guard: saml-status
  if (value === SUCCESS) return;
  const [inner] = code ? childrenOf(code, PROTOCOL, 'StatusCode') : [];
  const words = [value, inner && attributeOf(inner, 'Value')].flatMap(
    (uri) => /[A-Za-z]{1,40}$/.exec(uri ?? '') ?? [],
  );
  throw new DomainError(
    'forbidden',
    `The identity provider did not sign you in${words.length > 0 ? ` (${words.join(', ')})` : ''}.`,
  );
}

/** Whether an element is signed by a signature inside it. */
function isSigned(element: XmlElement): boolean {
  const [signature, another] = element.children.filter(({ name }) => name === 'Signature');
  if (another) throw rejected('has more than one signature in one place');
  if (!signature) return false;
  if (signature.namespace !== SIGNATURE) throw rejected('has a signature that is not an XML signature');
  checkSignature(signature, attributeOf(element, 'ID'));
  return true;
}

function checkSignature(signature: XmlElement, id: string | undefined): void {
  const [info, value, keys] = signature.children;
  if (
    info?.name !== 'SignedInfo' ||
    value?.name !== 'SignatureValue' ||
    (keys && keys.name !== 'KeyInfo') ||
    signature.children.length > 3 ||
    signature.children.some(({ namespace }) => namespace !== SIGNATURE)
  )
    throw rejected('has a signature with unexpected elements');
  const [canonical, method, reference] = info.children;
  if (
    !isNamed(canonical, 'CanonicalizationMethod') ||
    !isNamed(method, 'SignatureMethod') ||
    !isNamed(reference, 'Reference') ||
    info.children.length !== 3
  )
    throw rejected('has a signature that does not sign exactly one element');
  requireAlgorithm(canonical, CANONICALIZATION_METHODS);
  requireAlgorithm(method, SIGNATURE_METHODS);
  const [transforms, digest, digestValue] = reference.children;
  if (
    !isNamed(transforms, 'Transforms') ||
    !isNamed(digest, 'DigestMethod') ||
    !isNamed(digestValue, 'DigestValue') ||
    reference.children.length !== 3
  )
    throw rejected('has a signature with an incomplete reference');
  // guard: saml-signature-reference
  if (!id || attributeOf(reference, 'URI') !== `#${id}`)
    throw rejected('has a signature of an element other than its parent');
  requireAlgorithm(digest, DIGEST_METHODS);
  const [enveloped, exclusive] = transforms.children;
  if (
    transforms.children.length !== 2 ||
    !isNamed(enveloped, 'Transform') ||
    !isNamed(exclusive, 'Transform') ||
    attributeOf(enveloped, 'Algorithm') !== ENVELOPED_SIGNATURE
  )
    throw rejected('has a signature with transforms that SAML does not allow');
  // guard: saml-transforms
  requireAlgorithm(exclusive, CANONICALIZATION_METHODS);
}

const isNamed = (element: XmlElement | undefined, name: string): element is XmlElement =>
  element?.name === name && element.namespace === SIGNATURE;

function requireAlgorithm(element: XmlElement, allowed: readonly string[]): void {
  const algorithm = attributeOf(element, 'Algorithm') ?? '';
  // guard: saml-no-sha1
  if (allowed.includes(algorithm)) return;
  if (/sha1$/i.test(algorithm)) throw rejected('is signed with SHA-1, which is not safe: use SHA-256');
  throw rejected(`is signed with an algorithm that is not supported (${algorithm.slice(0, 100)})`);
}
