// Signs in with passkeys and adds them: what pages cannot do without a script. Served as it is.

/** @param {string} path @param {object} body */
async function post(path, body) {
  const response = await fetch(`/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error.message);
  return answer;
}

/** Runs work with a button out of use, and shows the problem of its part of the page if it fails. */
async function attempt(part, work) {
  const button = part.querySelector('button');
  const problem = part.querySelector('.problem');
  problem.hidden = true;
  button.disabled = true;
  try {
    location.assign(await work());
  } catch (error) {
    // Whoever closes the dialog of the browser knows that they did.
    if (error.name !== 'NotAllowedError' && error.name !== 'AbortError') console.error(error);
    problem.hidden = false;
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

if (globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  const way = document.querySelector('#passkey-sign-in');
  if (way) {
    way.hidden = false;
    way.querySelector('button').addEventListener('click', () => attempt(way, () => signIn(way.dataset)));
  }
  const form = document.querySelector('#passkey-add');
  if (form) {
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      attempt(form, () => add(new FormData(form).get('passkeyName').trim()));
    });
  }
}
