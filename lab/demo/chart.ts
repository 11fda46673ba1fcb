import { type Result, SAMPLE_MS } from './run.ts';

const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [640, 300, 44, 52, 16, 36];
const COLOURS = ['#1a7f4b', '#c0392b', '#b7791f'];

/** Clients still signed in over time, as SVG; readable on light and dark pages. */
export function chart(results: readonly Result[], seconds: number): string {
  const clients = results[0]?.clients.length ?? 1;
  const x = (sample: number) => LEFT + ((sample * SAMPLE_MS) / 1000 / seconds) * (WIDTH - LEFT - RIGHT);
  const y = (count: number) => TOP + (1 - count / clients) * (HEIGHT - TOP - BOTTOM);
  const lines = results.map(({ history }, index) => {
    const points = corners([clients, ...history]).map(([at, count]) => `${x(at).toFixed(1)},${y(count).toFixed(1)}`);
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${COLOURS[index]}" stroke-width="${index === 0 ? 3 : 2}"/>`;
  });
  const legend = results.map(({ name, loggedOut, forked }, index) => {
    const at = LEFT + index * ((WIDTH - LEFT - RIGHT) / results.length);
    const words = `<tspan x="${at}" dy="14" fill="#667">${loggedOut} logged out, ${forked} forked</tspan>`;
    return `<text x="${at}" y="18" fill="${COLOURS[index]}" font-weight="600">${name}${words}</text>`;
  });
  const grid = [0, clients / 2, clients].map(
    (count) =>
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(count)}" y2="${y(count)}" stroke="#8884"/><text x="${LEFT - 8}" y="${y(count) + 4}" text-anchor="end" fill="#667">${Math.round(count)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" role="img">
<title>Clients still signed in while answers are lost</title>
<rect width="${WIDTH}" height="${HEIGHT}" rx="6" fill="#fff"/>
${[...grid, ...lines.reverse(), ...legend].join('\n')}
<text x="${LEFT}" y="${HEIGHT - 12}" fill="#667">clients still signed in, over ${seconds} seconds of lost answers and restarts</text>
</svg>
`;
}

/** The samples where the line bends, and both ends. */
function corners(counts: readonly number[]): [at: number, count: number][] {
  return [...counts.entries()].filter(
    ([at, count]) => at === 0 || counts[at - 1] !== count || counts[at + 1] !== count,
  );
}
