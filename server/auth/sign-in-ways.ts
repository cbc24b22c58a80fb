import { oidcPath } from '../../routers/auth/oidc.operation.ts';
import { type Html, html } from '../http/html.ts';
import type { Visit } from './visit.ts';

/** Another way to sign in, offered below the password: a link or a form of its own. */
export type SignInWay = (visit: Visit, returnTo: string) => Html | undefined;

/** A button for each provider. */
const oidcWay: SignInWay = ({ texts, request }, returnTo) => {
  const { list } = request.ctx.services.identityProviders;
  if (list.length === 0) return undefined;
  const query = `?returnTo=${encodeURIComponent(returnTo)}`;
  return html`${list.map(
    ({ name, label }) =>
      html`<a class="button plain" href="${oidcPath(name, 'start')}${query}">${texts.signInWith(label)}</a>`,
  )}`;
};

/** The script shows it where it works. */
const passkeyWay: SignInWay = ({ texts }, returnTo) =>
  html`<div id="passkey-sign-in" hidden data-return-to="${returnTo}"><button type="button" class="plain">${texts.passkeySignIn}</button>
<p class="problem" role="alert" hidden>${texts.passkeyFailed}</p></div>`;

/** In the order in which they are offered. */
export const WAYS: readonly SignInWay[] = [oidcWay, passkeyWay];
