// Passkeys: the button asks the browser for one, and sends it with the form around it. Without script, or in a browser
// without passkeys, the button stays hidden.

for (const part of document.querySelectorAll('[data-passkey]')) {
  if (globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) offer(part);
}

function offer(part) {
  const button = part.querySelector('button');
  const problem = part.querySelector('[role=alert]');
  part.hidden = false;
  part.parentElement.querySelector('[data-without-passkey]')?.remove();
  button.addEventListener('click', async () => {
    problem.hidden = true;
    button.disabled = true;
    try {
      const answer = await fetch(part.dataset.passkey, { headers: { accept: 'application/json' } });
      const credential = await ask(part.dataset.ceremony, await answer.json());
      button.form.elements.credential.value = JSON.stringify(credential.toJSON());
      button.form.submit();
    } catch (error) {
      problem.textContent = error.name === 'InvalidStateError' ? problem.dataset.known : problem.dataset.failed;
      problem.hidden = false;
      button.disabled = false;
    }
  });
}

function ask(ceremony, options) {
  if (ceremony === 'create') {
    return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
  }
  return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
}
