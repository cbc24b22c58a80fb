// Signs in with passkeys and adds them, and leads to the part of a page that a user wanted. Served to browsers as it is.

/** @param {string} path @param {object} body */
async function post(path, body) {
  const response = await fetch(`/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const result = await response.json();
  if (!response.ok) throw new Error(result.error.message);
  return result;
}

/** Runs an action with the button disabled, and shows the error message in its part of the page if it fails. */
async function runAction(part, action) {
  const button = part.querySelector('button');
  const problems = part.querySelectorAll('.problem');
  for (const problem of problems) problem.hidden = true;
  button.disabled = true;
  try {
    location.assign(await action());
  } catch (error) {
    // A user who cancels the browser's dialog, or adds a passkey twice, needs no log entry.
    if (!['NotAllowedError', 'AbortError', 'InvalidStateError'].includes(error.name)) console.error(error);
    // The second message is for a device that has a passkey for this account already.
    const [problem, known = problem] = problems;
    (error.name === 'InvalidStateError' ? known : problem).hidden = false;
    button.disabled = false;
    button.focus();
  }
}

async function signIn({ returnTo }) {
  const options = PublicKeyCredential.parseRequestOptionsFromJSON(await post('/auth/passkeys/options', {}));
  const credential = await navigator.credentials.get({ publicKey: options });
  const { next } = await post('/auth/passkeys/sign-in', { credential: credential.toJSON(), returnTo });
  return next;
}

async function add(name) {
  const options = PublicKeyCredential.parseCreationOptionsFromJSON(await post('/user/passkeys/options', {}));
  const credential = await navigator.credentials.create({ publicKey: options });
  await post('/user/passkeys', { name, credential: credential.toJSON() });
  return '/auth/account?done=passkey';
}

/** Adds the fragment of the page that the user wants to open, which browsers keep in redirects but do not send. */
function addFragment() {
  const field = document.querySelector('[name=returnTo]');
  const option = document.querySelector('#passkey-sign-in');
  // A browser may restore the value of the field when the page is loaded again.
  if (location.hash === '' || !field || field.value.includes('#')) return;
  const returnTo = field.value + location.hash;
  field.value = returnTo;
  if (option) option.dataset.returnTo = returnTo;
  for (const link of document.querySelectorAll('a[href*="returnTo="]')) {
    const url = new URL(link.href);
    url.searchParams.set('returnTo', returnTo);
    link.href = url.href;
  }
}

addFragment();
if (globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  const option = document.querySelector('#passkey-sign-in');
  if (option) {
    option.hidden = false;
    option
      .querySelector('button')
      .addEventListener('click', () => runAction(option, () => signIn(option.dataset)));
  }
  const form = document.querySelector('#passkey-add');
  if (form) {
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      runAction(form, () => add(new FormData(form).get('passkeyName').trim()));
    });
  }
}
