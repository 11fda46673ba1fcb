/** A log line, as far as `tessera explain` shows it. */
type Line = Readonly<Record<string, string | number | boolean | undefined>>;

export interface RequestLines {
  readonly request: Line | undefined;
  /** What other lines say about the same request, such as the rules of a refused certificate. */
  readonly details: readonly string[];
}

/** Finds the lines of a request in a log, whatever `log.format` is. Other lines are skipped. */
export function linesOfRequest(id: string, log: string): RequestLines {
  const lines = log
    .split('\n')
    .filter((line) => line.includes(id))
    .map(parsed)
    .filter((line) => line?.['id'] === id);
  const request = lines.find((line) => line?.['msg'] === 'request');
  const details = lines.flatMap((line) => (line && line !== request ? describe(line) : []));
  return { request, details };
}

function parsed(line: string): Line | undefined {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return parsedPretty(line);
  }
}

/** `12:00:00.000 info  request  id=… operation=…`, as with `log.format: pretty`. */
function parsedPretty(line: string): Line | undefined {
  const [, time, msg, fields] = /^([\d:.]+) \w+ +(.+?) {2}(.+)$/.exec(line) ?? [];
  if (fields === undefined) return undefined;
  return {
    time,
    msg,
    ...Object.fromEntries([...fields.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value])),
  };
}

function describe({ msg, level: _level, time: _time, id: _id, ...rest }: Line): string[] {
  const fields = Object.entries(rest).map(([name, value]) =>
    Array.isArray(value)
      ? `  ${name}:\n${value.map((item) => `    ${String(item)}`).join('\n')}`
      : `  ${name}: ${value}`,
  );
  return [`${msg}:`, ...fields];
}
