/** A log line for people: time, level, message, then the other fields as name=value. */
export function prettyLine(line: string): string {
  const { time, level, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const clock = String(time).slice(11, 23);
  const values = Object.entries(rest).map(([name, value]) => `${name}=${printed(value)}`);
  return `${clock} ${String(level).padEnd(5)} ${String(msg)}  ${values.join(' ')}\n`;
}

function printed(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => `\n    ${item}`).join('');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
