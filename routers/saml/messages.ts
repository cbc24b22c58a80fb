/** The messages that the service sends: the authentication request, and its metadata. */

import { deflateRawSync } from 'node:zlib';
import { ASSERTION, BINDING_POST, METADATA, PROTOCOL } from '../engine/saml/names.ts';
import type { SamlService } from './saml-providers.api.ts';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for XML, as content or in a double-quoted attribute. */
const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');

interface AuthnRequest {
  id: string;
  issuedAt: Date;
  /** The SSO URL of the provider. */
  ssoURL: string;
  service: SamlService;
}

/** The URL that starts a sign-in at the provider, with the request (binding HTTP-Redirect). */
export function authnRequestUrl({ id, issuedAt, ssoURL, service }: AuthnRequest): string {
  const { acsURL, entityID } = service;
  const xml = `<samlp:AuthnRequest xmlns:samlp="${PROTOCOL}" ID="${escapeXml(id)}" Version="2.0" IssueInstant="${issuedAt.toISOString()}" Destination="${escapeXml(ssoURL)}" AssertionConsumerServiceURL="${escapeXml(acsURL)}" ProtocolBinding="${BINDING_POST}"><saml:Issuer xmlns:saml="${ASSERTION}">${escapeXml(entityID)}</saml:Issuer></samlp:AuthnRequest>`;
  const url = new URL(ssoURL);
  url.searchParams.set('SAMLRequest', deflateRawSync(xml).toString('base64'));
  url.searchParams.set('RelayState', id);
  return url.href;
}

/** The metadata of this service for identity providers. */
export const metadataXml = ({ acsURL, entityID }: SamlService): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${METADATA}" entityID="${escapeXml(entityID)}">
  <md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="${PROTOCOL}">
    <md:AssertionConsumerService Binding="${BINDING_POST}" Location="${escapeXml(acsURL)}" index="0" isDefault="true"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`;
