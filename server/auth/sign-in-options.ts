import { oidcPath } from '../../routers/auth/oidc.operation.ts';
import { type Html, html } from '../http/html.ts';
import type { Visit } from './visit.ts';

/** Renders another way to sign in, offered below the password form. */
export type SignInOption = (visit: Visit, returnTo: string) => Html | undefined;

/** A button for each identity provider. */
const oidcOption: SignInOption = ({ texts, request }, returnTo) => {
  const { list } = request.ctx.services.identityProviders;
  if (list.length === 0) return undefined;
  const query = `?returnTo=${encodeURIComponent(returnTo)}`;
  return html`${list.map(
    ({ name, label }) =>
      html`<a class="button plain" href="${oidcPath(name, 'start')}${query}">${texts.signInWith(label)}</a>`,
  )}`;
};

/** Hidden until the script finds that the browser supports passkeys. */
export const passkeyOption: SignInOption = ({ texts }, returnTo) =>
  html`<div id="passkey-sign-in" hidden data-return-to="${returnTo}"><button type="button" class="plain">${texts.passkeySignIn}</button>
<p class="problem" role="alert" hidden>${texts.passkeyFailed}</p></div>`;

/** In the order in which they are shown. */
export const SIGN_IN_OPTIONS: readonly SignInOption[] = [oidcOption, passkeyOption];
