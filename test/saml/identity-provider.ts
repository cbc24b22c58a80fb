import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import samlp from 'samlp';
import type { Signer } from '../helpers/certificates.ts';

/** A user at the provider. */
export interface ProviderUser {
  nameId: string;
  email: string;
  name: string;
}

export interface IdentityProvider {
  entityID: string;
  ssoURL: string;
  /** The user who is signed in there, in any browser. */
  user: ProviderUser;
  close(): Promise<void>;
}

/** A real identity provider over HTTP, which signs in everyone. */
export async function startIdentityProvider(signer: Signer): Promise<IdentityProvider> {
  const server = createServer((incoming, outgoing) => {
    const { searchParams } = new URL(incoming.url ?? '', 'http://idp.test');
    const request = Object.assign(incoming, { query: Object.fromEntries(searchParams) });
    const response = Object.assign(outgoing, {
      set: (name: string, value: string) => outgoing.setHeader(name, value),
      send: (body: string | number) => outgoing.end(String(body)),
    });
    const fail = (error: Error) => {
      outgoing.statusCode = 500;
      outgoing.end(String(error));
    };
    samlp.parseRequest(request, (error, asked) => {
      const acs = asked?.assertionConsumerServiceURL;
      if (error || !acs) return fail(error ?? new Error('no request'));
      const respond = samlp.auth({
        issuer: provider.entityID,
        cert: signer.certificate,
        key: signer.key,
        signResponse: true,
        lifetimeInSeconds: 300,
        destination: acs,
        recipient: acs,
        getPostURL: (_audience, _request, _incoming, callback) => callback(null, acs),
        getUserFromRequest: () => ({
          id: provider.user.nameId,
          emails: [{ value: provider.user.email }],
          displayName: provider.user.name,
          name: {},
        }),
      });
      respond(request, response, fail);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: IdentityProvider = {
    entityID: `${origin}/metadata`,
    ssoURL: `${origin}/sso?tenant=1`,
    user: { nameId: 'ann-1', email: 'ann@login.example', name: 'Ann' },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return provider;
}
