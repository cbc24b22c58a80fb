import { HOME } from '../../routers/auth/return-to.ts';
import { html } from '../http/html.ts';
import { type AccountSection, LISTED, section, timeIn } from './account-parts.ts';
import { field } from './layout.ts';

/** Where an app is set up, and what is below is done with it. */
export const SET_UP = `${HOME}/second-factor`;

/** The second factor of a person, on their own page. */
export const secondFactorSection: AccountSection = async ({ texts, token, call }) => {
  const { totp, recoveryCodes } = await call.secondFactor.get({});
  const confirmed = (action: string, name: string, title: string) =>
    html`<details><summary>${title}</summary><form method="post" action="${SET_UP}/${action}">${token}${field({ name, label: texts.code, autocomplete: 'one-time-code', hint: texts.codeHint, maxLength: 40 })}<button>${title}</button></form></details>`;
  return section(
    texts.secondFactor,
    texts.secondFactorIntro,
    totp
      ? html`<p>${texts.secondFactorOn} ${texts.recoveryCodesLeft(recoveryCodes)}</p>
${confirmed('recovery-codes', 'code-renew', texts.newRecoveryCodes)}
${confirmed('remove', 'code-remove', texts.turnOff)}`
      : html`<a class="button plain" href="${SET_UP}">${texts.setUpApp}</a>`,
  );
};

/** The passkeys of a person. */
export const passkeySection: AccountSection = async ({ texts, token, call, language }) => {
  const { items } = await call.passkeys.list({ limit: LISTED });
  const used = (iso: string | undefined) =>
    iso === undefined
      ? texts.neverUsed
      : html`${texts.lastUsed} ${timeIn(language, iso, { dateStyle: 'medium' })}`;
  const shown = items.map(
    ({ id, name, lastUsedAt }) => html`<li><div>${name}<small>${used(lastUsedAt)}</small>
<details><summary>${texts.rename}</summary><form method="post" action="${HOME}/passkeys/${id}/name">${token}${field({ name: `name-${id}`, label: texts.passkeyName, value: name, autocomplete: 'off', maxLength: 64 })}<button class="small">${texts.save}</button></form></details></div>
<form method="post" action="${HOME}/passkeys/${id}/remove">${token}<button class="plain small" aria-label="${texts.remove}: ${name}">${texts.remove}</button></form></li>`,
  );
  return section(
    texts.passkeys,
    texts.passkeysIntro,
    html`${items.length > 0 ? html`<ul class="list">${shown}</ul>` : html`<p>${texts.noTokens}</p>`}
<noscript><p>${texts.scriptNeeded}</p></noscript>
<form id="passkey-add" hidden>${field({ name: 'passkeyName', label: texts.passkeyName, autocomplete: 'off', maxLength: 64 })}
<p class="problem" role="alert" hidden>${texts.passkeyFailed}</p><button>${texts.addPasskey}</button></form>`,
  );
};

/** The accounts elsewhere that sign a person in; nothing if there are none. */
export const identitySection: AccountSection = async ({ texts, token, call, language }) => {
  const { items } = await call.identities.list({ limit: LISTED });
  if (items.length === 0) return undefined;
  const shown = items.map(
    ({
      id,
      issuer,
      email,
      lastUsedAt,
    }) => html`<li><div>${issuer}<small>${email} · ${texts.lastUsed} ${timeIn(language, lastUsedAt, { dateStyle: 'medium' })}</small></div>
<form method="post" action="${HOME}/identities/${id}/remove">${token}<button class="plain small" aria-label="${texts.remove}: ${issuer}">${texts.remove}</button></form></li>`,
  );
  return section(texts.identities, texts.identitiesIntro, html`<ul class="list">${shown}</ul>`);
};
