// How a command fails: an exit code for scripts, two lines for people.

/** By how a command ends: the exit code, and what it means. */
export const ENDS = {
  ok: [0, 'done'],
  refused: [1, 'refused, or a check failed'],
  usage: [2, 'the command line is wrong'],
  configuration: [3, 'the configuration is wrong'],
  store: [4, 'the store is missing or cannot answer'],
  keyring: [5, 'the keyring is missing, damaged or not the one in use'],
  certificate: [6, 'the server certificate or its key cannot be used'],
  listener: [7, 'an address cannot be listened on'],
  login: [8, 'a login is needed'],
  unavailable: [9, 'the service cannot be reached, or is busy'],
  fault: [70, 'a defect of this program'],
  'program unusable': [126, '`exec`: the program cannot be run'],
  'program missing': [127, '`exec`: there is no such program'],
} as const;

export const EXIT = Object.fromEntries(Object.entries(ENDS).map(([end, [code]]) => [end, code])) as Readonly<
  Record<keyof typeof ENDS, number>
>;

/** Ends the command: what is wrong, and what to do about it. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly end: keyof typeof EXIT;
  readonly todo: string | undefined;
  /** Which refusal it is, for scripts. */
  readonly reason: string | undefined;

  constructor(end: keyof typeof EXIT, what: string, todo?: string, reason?: string) {
    super(what);
    this.end = end;
    this.todo = todo;
    this.reason = reason;
  }
}
