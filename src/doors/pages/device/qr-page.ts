// A page for screens: the QR code of verification_uri_complete, to be scanned with a phone.
import { encode } from 'uqr';
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { queryOf, type Visit } from '../parts/visit.ts';
import { readUserCode } from './enter-code.ts';

/**
 * Draws only our own address with a well-formed user code, so that nobody can make us draw another address. Does not look
 * the code up: a page without sign-in must not reveal whether it exists.
 */
export async function showQr(visit: Visit): Promise<Answer> {
  const code = readUserCode(queryOf(visit, 'user_code'));
  if (!code) return { goTo: '/device' };
  const { qr: words } = visit.language.texts;
  const address = `${visit.site.publicUrl}/device`;
  const body = html`<div class="card centred">
<h1>${words.title}</h1>
<p class="lead">${words.lead}</p>
${qrPicture(`${address}?user_code=${code}`, words.picture)}
<p>${words.or}</p>
<p class="address" translate="no">${address}</p>
<p class="code-shown" translate="no">${code}</p>
</div>`;
  return { page: { title: words.title, body } };
}

/** One path of unit squares; dark on light in either colour scheme, since cameras expect that. */
function qrPicture(text: string, label: string): Html {
  const { data, size } = encode(text, { border: 4 });
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">
<path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${squares.join('')}"/></svg>`;
}
