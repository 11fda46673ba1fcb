// What every page has around it.
import { type Html, html } from './html.ts';
import { queryOf, type Visit } from './visit.ts';

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** `wide` for lists; forms and questions read best narrow. */
  readonly width?: 'wide' | 'console';
  readonly hasScript?: boolean;
}

export function layout(visit: Visit, { title, body, width, hasScript }: Page): Html {
  const { look, assets } = visit.site;
  const { tag, texts } = visit.language;
  return html`<!doctype html>
<html lang="${tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · ${look.name}</title>
<link rel="stylesheet" href="${assets.style.path}">
<link rel="icon" type="image/svg+xml" href="${assets.icon.path}">
${hasScript && html`<script type="module" src="${assets.script.path}"></script>`}
</head>
<body>
<a class="skip" href="#content">${texts.layout.skip}</a>
<header class="top">
<a class="brand" href="/"><img src="${assets.logo.path}" alt="" width="32" height="32"><span>${look.name}</span></a>
${visit.person && personMenu(visit)}
</header>
<main id="content" class="${width ?? 'narrow'}" tabindex="-1">
${body}
</main>
<footer class="bottom"><p>${texts.layout.footer(look.name)}</p></footer>
</body>
</html>
`;
}

function personMenu(visit: Visit): Html {
  const { layout: words } = visit.language.texts;
  return html`<nav class="menu" aria-label="${words.account}">
<span class="who">${words.signedInAs(personName(visit))}</span>
<a href="/account">${words.account}</a>
${postForm(visit, '/account/sign-out', html`<button class="plain">${words.signOut}</button>`)}
</nav>`;
}

export function personName({ person }: Visit): string {
  return person?.identity.userName ?? person?.identity.email ?? person?.identity.id ?? '';
}

/** Every form of ours is made here, so none lacks its token. */
export function postForm({ formToken }: Visit, action: string, fields: Html, style = ''): Html {
  return html`<form method="post" action="${action}"${style && html` class="${style}"`}>
${hiddenFields({ form_token: formToken })}
${fields}
</form>`;
}

export function hiddenFields(values: Readonly<Record<string, string | number | undefined>>): Html {
  return html`${Object.entries(values).map(([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`)}`;
}

interface InputField {
  readonly id: string;
  readonly name?: string;
  readonly label: string;
  readonly hint?: string | undefined;
  /** Its other attributes. */
  readonly input: Html;
}

export function inputField({ id, name = id, label, hint, input }: InputField): Html {
  return html`<div class="field">
<label for="${id}">${label}</label>
<input id="${id}" name="${name}"${input}${hint && html` aria-describedby="${id}_hint"`}>
${hint && html`<p class="hint" id="${id}_hint">${hint}</p>`}
</div>`;
}

/** A confirmation step without script: the button is inside a disclosure. `which`: what ends, if there are several such forms. */
export function endingForm<What extends string>(
  visit: Visit,
  action: string,
  words: Readonly<Record<NoInfer<What> | `${NoInfer<What>}Warning` | `${NoInfer<What>}Really`, string>>,
  what: What,
  which?: string,
): Html {
  const [summary, button] = [words[what], words[`${what}Really`]];
  const named = (text: string) => which && html` aria-label="${text}: ${which}"`;
  return html`<details class="revoke${which === undefined && ' revoke-all'}"><summary${named(summary)}>${summary}</summary>
<p>${words[`${what}Warning`]}</p>
${postForm(visit, action, html`<button class="button deny"${named(button)}>${button}</button>`)}
</details>`;
}

/** The result of the previous step: one of a few constant texts, named in the address. */
export function noticeBox(visit: Visit): Html | undefined {
  const { notices } = visit.language.texts;
  const [, notice] = Object.entries(notices).find(([name]) => name === queryOf(visit, 'done')) ?? [];
  return notice === undefined ? undefined : html`<p class="notice" role="status">${notice}</p>`;
}

export function alertBox(title: string, text?: string): Html {
  return html`<div class="alert" role="alert"><p><strong>${title}</strong></p>${text && html`<p>${text}</p>`}</div>`;
}
