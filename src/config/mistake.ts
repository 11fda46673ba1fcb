/** One thing wrong with the configuration, in words for the operator. */
export interface Mistake {
  /** The setting, as `tokens.grantLifetime` or `listeners.0.port`; empty for the file as a whole. */
  readonly path: string;
  readonly problem: string;
  readonly example?: string;
  /** What to do, if no example shows it. */
  readonly todo?: string;
  /** The file and line, the variable or the flag that it comes from. */
  readonly source?: string;
}

export class ConfigFault extends Error {
  override readonly name = 'ConfigFault';
  readonly mistakes: readonly Mistake[];

  constructor(mistakes: readonly Mistake[]) {
    super(mistakes.map(wordMistake).join('\n'));
    this.mistakes = mistakes;
  }
}

function wordMistake({ path, problem, example, todo, source }: Mistake): string {
  const where = [source, source?.endsWith(` ${path}`) ? '' : path].filter(Boolean).join(': ');
  const next = [...(example === undefined ? [] : [`for example  ${example}`]), ...(todo === undefined ? [] : [todo])];
  return [`${where || 'configuration'}: ${problem}`, ...next].join('\n  ');
}
