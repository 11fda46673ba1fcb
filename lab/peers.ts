// npm run peers: draws docs/performance/peers.svg from the figures in peers.json beside it.
import { readFileSync, writeFileSync } from 'node:fs';

type Bar = readonly [name: string, perSecond: number, isOurs: boolean];

const FOLDER = new URL('../docs/performance/', import.meta.url);
const [WIDTH, LEFT, ROW] = [640, 190, 30];

const bars = JSON.parse(readFileSync(new URL('peers.json', FOLDER), 'utf8')) as readonly Bar[];
const most = Math.max(...bars.map(([, perSecond]) => perSecond));
const rows = bars.map(([name, perSecond, isOurs], index) => {
  const y = 40 + index * ROW;
  const length = Math.max(2, (perSecond / most) * (WIDTH - LEFT - 70));
  const bar = `<rect x="${LEFT}" y="${y}" width="${length.toFixed(0)}" height="18" rx="3" fill="${isOurs ? '#1a7f4b' : '#8b95a5'}"/>`;
  const label = `<text x="${LEFT - 10}" y="${y + 14}" text-anchor="end" fill="#222">${name}</text>`;
  const figure = `<text x="${LEFT + length + 8}" y="${y + 14}" fill="#222">${perSecond.toLocaleString('en')}</text>`;
  return `${label}${bar}${figure}`;
});
const height = 52 + bars.length * ROW;
writeFileSync(
  new URL('peers.svg', FOLDER),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="13" role="img">
<title>Refreshes per second</title>
<rect width="${WIDTH}" height="${height}" rx="6" fill="#fff"/>
<text x="16" y="24" font-weight="600" fill="#222">Refreshes per second on one core (more is better; PostgreSQL on the other core)</text>
${rows.join('\n')}
</svg>
`,
);
