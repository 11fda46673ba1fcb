// How a command fails: an exit code for scripts, two lines for people.

export const EXIT = {
  ok: 0,
  refused: 1,
  usage: 2,
  configuration: 3,
  store: 4,
  keyring: 5,
  certificate: 6,
  listener: 7,
  login: 8,
  unavailable: 9,
  fault: 70,
  'program unusable': 126,
  'program missing': 127,
} as const;

export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done',
  refused: 'refused, or a check failed',
  usage: 'the command line is wrong',
  configuration: 'the configuration is wrong',
  store: 'the store is missing or cannot answer',
  keyring: 'the keyring is missing, damaged or not the one in use',
  certificate: 'the server certificate or its key cannot be used',
  listener: 'an address cannot be listened on',
  login: 'a login is needed',
  unavailable: 'the service cannot be reached, or is busy',
  fault: 'a defect of this program',
  'program unusable': '`exec`: the program cannot be run',
  'program missing': '`exec`: there is no such program',
};

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
