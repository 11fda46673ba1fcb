// The console: what is marked as live is fetched again every few seconds while the page is in view, unless a part of it is in use.
const LIVE_MS = 10_000;

if (document.querySelector('[data-live]')) setInterval(refreshLive, LIVE_MS);

async function refreshLive() {
  if (document.hidden) return;
  const answer = await fetch(location.href).catch(() => undefined);
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const part of document.querySelectorAll('[data-live]')) {
    const next = fresh.getElementById(part.id);
    if (next && !part.contains(document.activeElement)) part.replaceWith(document.adoptNode(next));
  }
}
