export interface Scene {
  readonly command: string;
  readonly output: readonly string[];
  /** When its output was complete, since the beginning. */
  readonly seconds: number;
}

const [WIDTH, LINE, LEFT, TOP] = [720, 17, 16, 40];
const READING_SECONDS = 1.2;

/** A terminal in which the commands appear one after the other. Still pictures show all of it. */
export function drawTerminal(scenes: readonly Scene[]): string {
  let row = 0;
  const lines = scenes.flatMap(({ command, output, seconds }, scene) => {
    const at = scene * READING_SECONDS;
    const shown = [
      text(row++, at, 'command', `$ ${command}`, `${seconds.toFixed(1)} s`),
      ...output.map((line) => text(row++, at + 0.5, 'output', line)),
    ];
    row += 0.4;
    return shown;
  });
  const height = TOP + row * LINE + 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12.5" role="img">
<title>The first minute: start, get a token, verify, refresh and revoke it</title>
<style>
text { white-space: pre; animation: appear 0.3s backwards; fill: #c9d1d9 }
.command { fill: #7ee787 }
.time { fill: #6e7681 }
@keyframes appear { from { opacity: 0 } }
@media (prefers-reduced-motion: reduce) { text { animation: none } }
</style>
<rect width="${WIDTH}" height="${height}" rx="8" fill="#0d1117"/>
<circle cx="18" cy="16" r="5" fill="#ff5f56"/><circle cx="36" cy="16" r="5" fill="#ffbd2e"/><circle cx="54" cy="16" r="5" fill="#27c93f"/>
${lines.join('\n')}
</svg>
`;
}

function text(row: number, at: number, kind: string, words: string, time?: string): string {
  const y = (TOP + row * LINE).toFixed(0);
  const delay = `style="animation-delay:${at.toFixed(1)}s"`;
  const own = `<text class="${kind}" x="${LEFT}" y="${y}" ${delay} xml:space="preserve">${escaped(words)}</text>`;
  if (time === undefined) return own;
  return `${own}<text class="time" x="${WIDTH - LEFT}" y="${y}" text-anchor="end" ${delay}>${time}</text>`;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
