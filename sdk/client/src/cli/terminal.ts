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

/** Control and format characters (bidirectional ones among them), line separators, lone surrogates. */
const ACTIVE = /[^\P{C}\n\t]|[\u2028\u2029]/gu;

/** What a server says must not control the terminal. */
export function inert(text: string): string {
  return text.replace(ACTIVE, '?');
}

/** The address of a service as somebody typed it: https unless it says otherwise. */
export function addressOf(typed: string): string {
  return (/^https?:\/\//i.test(typed) ? typed : `https://${typed}`).replace(/\/$/, '');
}
