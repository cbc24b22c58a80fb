import { HOME } from '../../routers/auth/return-to.ts';
import { html } from '../http/html.ts';
import { type AccountSection, LIST_LIMIT, section, timeElement } from './account-section.ts';
import { field } from './layout.ts';

/** The page that sets up an authenticator app; forms that change it post to paths below. */
export const TOTP_SETUP_PATH = `${HOME}/second-factor`;

/** The user's second factor. */
export const secondFactorSection: AccountSection = async ({ texts, token, call }) => {
  const { totp, recoveryCodes } = await call.secondFactor.get({});
  const codeForm = (action: string, name: string, title: string) =>
    html`<details><summary>${title}</summary><form method="post" action="${TOTP_SETUP_PATH}/${action}">${token}${field({ name, label: texts.code, autocomplete: 'one-time-code', hint: texts.codeHint, maxLength: 40 })}<button>${title}</button></form></details>`;
  return section(
    texts.secondFactor,
    texts.secondFactorIntro,
    totp
      ? html`<p>${texts.secondFactorOn} ${texts.recoveryCodesLeft(recoveryCodes)}</p>
${codeForm('recovery-codes', 'code-renew', texts.newRecoveryCodes)}
${codeForm('remove', 'code-remove', texts.turnOff)}`
      : html`<a class="button plain" href="${TOTP_SETUP_PATH}">${texts.setUpApp}</a>`,
  );
};

/** The user's passkeys. */
export const passkeySection: AccountSection = async ({ texts, token, call, language }) => {
  const { items } = await call.passkeys.list({ limit: LIST_LIMIT });
  const lastUse = (iso: string | undefined) =>
    iso === undefined
      ? texts.neverUsed
      : html`${texts.lastUsed} ${timeElement(language, iso, { dateStyle: 'medium' })}`;
  const rows = items.map(
    ({ id, name, lastUsedAt }) => html`<li><div>${name}<small>${lastUse(lastUsedAt)}</small>
<details><summary>${texts.rename}</summary><form method="post" action="${HOME}/passkeys/${id}/name">${token}${field({ name: `name-${id}`, label: texts.passkeyName, value: name, autocomplete: 'off', maxLength: 64 })}<button class="small">${texts.save}</button></form></details></div>
<form method="post" action="${HOME}/passkeys/${id}/remove">${token}<button class="plain small" aria-label="${texts.remove}: ${name}">${texts.remove}</button></form></li>`,
  );
  return section(
    texts.passkeys,
    texts.passkeysIntro,
    html`${items.length > 0 ? html`<ul class="list">${rows}</ul>` : html`<p>${texts.noTokens}</p>`}
<noscript><p>${texts.scriptNeeded}</p></noscript>
<form id="passkey-add" hidden>${field({ name: 'passkeyName', label: texts.passkeyName, autocomplete: 'off', maxLength: 64 })}
<p class="problem" role="alert" hidden>${texts.passkeyFailed}</p><p class="problem" role="alert" hidden>${texts.passkeyKnown}</p><button>${texts.addPasskey}</button></form>`,
  );
};

/** The accounts at identity providers with which the user signs in; nothing if there are none. */
export const identitySection: AccountSection = async ({ texts, token, call, language }) => {
  const { items } = await call.identities.list({ limit: LIST_LIMIT });
  if (items.length === 0) return undefined;
  const rows = items.map(
    ({
      id,
      issuer,
      email,
      lastUsedAt,
    }) => html`<li><div>${issuer}<small>${email} · ${texts.lastUsed} ${timeElement(language, lastUsedAt, { dateStyle: 'medium' })}</small></div>
<form method="post" action="${HOME}/identities/${id}/remove">${token}<button class="plain small" aria-label="${texts.remove}: ${issuer}">${texts.remove}</button></form></li>`,
  );
  return section(texts.identities, texts.identitiesIntro, html`<ul class="list">${rows}</ul>`);
};
