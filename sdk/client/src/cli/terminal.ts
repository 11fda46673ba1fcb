/** The program that runs a command. */
export interface Terminal {
  /** Its name, for messages. */
  readonly program: string;
  /** Prints lines for people, on standard error. */
  readonly note: (lines: string) => void;
  /** Draws a QR code, if it can. */
  readonly qrCode?: (text: string) => Promise<string>;
}

/** What a command results in. */
export interface Shown {
  /** For people. Absent if notes have said it, or a program that was run. */
  readonly text?: string;
  /** The same for scripts, with --json. */
  readonly value?: object;
}
