/** The messages that the service writes itself: its request for a sign-in, and its metadata. */

import { deflateRawSync } from 'node:zlib';
import { ASSERTION, BINDING_POST, METADATA, PROTOCOL } from '../engine/saml/names.ts';
import type { SamlService } from './saml-providers.api.ts';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text as part of XML, between tags or between double quotes. */
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');

interface AuthnRequest {
  id: string;
  issuedAt: Date;
  /** Where the provider signs people in. */
  ssoURL: string;
  service: SamlService;
}

/** Where a browser goes to be signed in: the provider's URL with the request, by the binding HTTP-Redirect. */
export function authnRequestUrl({ id, issuedAt, ssoURL, service }: AuthnRequest): string {
  const { acsURL, entityID } = service;
  const xml = `<samlp:AuthnRequest xmlns:samlp="${PROTOCOL}" ID="${escaped(id)}" Version="2.0" IssueInstant="${issuedAt.toISOString()}" Destination="${escaped(ssoURL)}" AssertionConsumerServiceURL="${escaped(acsURL)}" ProtocolBinding="${BINDING_POST}"><saml:Issuer xmlns:saml="${ASSERTION}">${escaped(entityID)}</saml:Issuer></samlp:AuthnRequest>`;
  const url = new URL(ssoURL);
  url.searchParams.set('SAMLRequest', deflateRawSync(xml).toString('base64'));
  url.searchParams.set('RelayState', id);
  return url.href;
}

/** What an identity provider needs to know of the service. */
export const metadataXml = ({ acsURL, entityID }: SamlService): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${METADATA}" entityID="${escaped(entityID)}">
  <md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="${PROTOCOL}">
    <md:AssertionConsumerService Binding="${BINDING_POST}" Location="${escaped(acsURL)}" index="0" isDefault="true"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`;
