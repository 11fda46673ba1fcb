// Refreshes per second beside other products: the figures of docs/performance.md as bars.
import { writeFileSync } from 'node:fs';
import { plot } from '../bench/report/plot.ts';

const PER_SECOND: Readonly<Record<string, number>> = {
  'Tessera, SQLite': 6560,
  'Tessera, PostgreSQL': 4880,
  'oidc-provider, in memory': 1786,
  'oidc-provider, SQLite': 745,
  'Hydra, PostgreSQL': 337,
  'Hydra, SQLite': 208,
  'Keycloak, PostgreSQL': 117,
};

export function drawPeers(): void {
  const title = 'Refreshes per second on one core (more is better; PostgreSQL on the other core)';
  const bars = Object.entries(PER_SECOND).map(([name, value]) => ({
    name,
    value,
    words: value.toLocaleString('en'),
    ours: name.startsWith('Tessera'),
  }));
  writeFileSync('docs/performance/peers.svg', plot('Refreshes per second', [{ title, bars }]));
}
