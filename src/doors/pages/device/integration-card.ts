import type { Integration } from '../../../core/integration.ts';
import { type Html, html } from '../parts/html.ts';
import type { Visit } from '../parts/visit.ts';

/** A tile with the initial of the integration, the heading, and the vendor. */
export function integrationCard(
  { language }: Visit,
  { name, vendor }: Pick<Integration, 'name' | 'vendor'>,
  heading: Html,
): Html {
  const initial = String.fromCodePoint(name.codePointAt(0) ?? 0x20).toUpperCase();
  return html`<div class="integration-card">
<span class="initial" aria-hidden="true">${initial}</span>
<div>${heading}${vendor && html`<p class="vendor">${language.texts.request.by(vendor)}</p>`}</div>
</div>`;
}
