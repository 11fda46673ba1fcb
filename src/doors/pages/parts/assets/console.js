// The console: what is marked as live is fetched again every few seconds while the page is in view, unless one is in use.
// It is not when nobody has touched the page for a while, and does not keep the session open. A page that is not refreshed says so.
const LIVE_MS = 10_000;
const IDLE_MS = 15 * 60_000;
let touchedAt = Date.now();

for (const input of ['pointerdown', 'pointermove', 'keydown', 'scroll'])
  addEventListener(input, () => (touchedAt = Date.now()), { passive: true });

if (document.querySelector('[data-live]')) setInterval(refreshLive, LIVE_MS);

async function refreshLive() {
  if (document.hidden) return;
  const fresh = Date.now() - touchedAt > IDLE_MS ? undefined : await fetchPage().catch(() => undefined);
  for (const note of document.querySelectorAll('[data-stale]'))
    note.hidden = Boolean(fresh?.querySelector('[data-live]'));
  const parts = [...document.querySelectorAll('[data-live]')];
  if (parts.some((part) => part.contains(document.activeElement))) return;
  for (const part of parts) {
    const next = fresh?.getElementById(part.id);
    for (const { id } of part.querySelectorAll('details[id][open]'))
      next?.querySelector(`#${id}`)?.setAttribute('open', '');
    if (next) part.replaceWith(document.adoptNode(next));
  }
}

async function fetchPage() {
  const answer = await fetch(location.href, { headers: { 'Tessera-Live': 'yes' } });
  return answer.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : undefined;
}
