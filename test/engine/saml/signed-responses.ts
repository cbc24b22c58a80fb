import { type SamlResponse, verifySamlResponse } from '../../../routers/engine/saml/verify.ts';
import { newSigner } from '../../helpers/certificates.ts';
import { base64, type ResponseParts, responseXml } from '../../helpers/saml-response.ts';

export const provider = newSigner('login.example');
export const next = newSigner('next.example');
export const stranger = newSigner('stranger.example');
export const expired = newSigner('expired.example', [new Date('2020-01-01'), new Date('2021-01-01')]);

export const NOW = Date.parse('2026-06-01T12:00:00Z');
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

export const verify = (xml: string, expected: Partial<SamlResponse> = {}) =>
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

export const response = (parts: Partial<ResponseParts> = {}, signer = provider) =>
  responseXml({ ...PARTS, ...parts }, signer);
