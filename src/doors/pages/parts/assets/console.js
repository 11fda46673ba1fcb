// The console: what is marked as live is fetched again every few seconds while the page is in view, unless a part of it is in use.
// It is not when nobody has touched the page for a while, and does not keep the session open.
const LIVE_MS = 10_000;
const IDLE_MS = 15 * 60_000;
let touchedAt = Date.now();

for (const input of ['pointerdown', 'pointermove', 'keydown', 'scroll'])
  addEventListener(input, () => (touchedAt = Date.now()), { passive: true });

if (document.querySelector('[data-live]')) setInterval(refreshLive, LIVE_MS);

async function refreshLive() {
  if (document.hidden || Date.now() - touchedAt > IDLE_MS) return;
  const answer = await fetch(location.href, { headers: { 'Tessera-Live': 'yes' } }).catch(() => undefined);
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const part of document.querySelectorAll('[data-live]')) {
    const next = fresh.getElementById(part.id);
    if (next && !part.contains(document.activeElement)) part.replaceWith(document.adoptNode(next));
  }
}
