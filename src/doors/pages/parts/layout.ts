// What every page has around it.
import { type Html, html } from './html.ts';
import { queryOf, type Visit } from './visit.ts';

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** `wide` for lists; forms and questions read best narrow. */
  readonly width?: 'wide' | 'console-body';
  /** Beside the content, and skipped with the header. */
  readonly menu?: Html;
  readonly hasScript?: boolean;
}

export function layout(visit: Visit, { title, body, width, menu, hasScript }: Page): Html {
  const { look, assets } = visit.site;
  const { tag, texts } = visit.language;
  const main = html`<main id="content" class="${width ?? 'narrow'}" tabindex="-1">
${body}
</main>`;
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
${menu ? html`<div class="console">${menu}${main}</div>` : main}
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
  /** Whether the box above the form is about what was entered here. */
  readonly isWrong?: boolean | undefined;
}

export function inputField({ id, name = id, label, hint, input, isWrong }: InputField): Html {
  return html`<div class="field">
<label for="${id}">${label}</label>
<input id="${id}" name="${name}"${input}${described([isWrong && FAULT, hint && `${id}_hint`], isWrong)}>
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

const FAULT = 'fault';

/** Above a form that was refused: why, with a link to the field at fault, which has the focus. If it is none, the box has it. */
export function faultBox(title: string, text?: string, field?: string): Html {
  const said = field === undefined ? title : html`<a href="#${field}">${title}</a>`;
  const focus = field === undefined && html` tabindex="-1" autofocus`;
  return html`<div class="alert" role="alert" id="${FAULT}"${focus}><p><strong>${said}</strong></p>${text && html`<p>${text}</p>`}</div>`;
}

/** Of a field: the ids of what describes it, and whether it is at fault. */
export function described(by: readonly (string | false | undefined)[], isWrong = false): Html {
  const ids = by.filter(Boolean).join(' ');
  return html`${ids && html` aria-describedby="${ids}"`}${isWrong && html` aria-invalid="true"`}`;
}
