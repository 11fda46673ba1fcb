import { inspect } from 'node:util';

const HIDDEN = '[secret]';

/** A text that cannot be printed by accident: JSON, template strings, string concatenation and `util.inspect` show a placeholder. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The one way out; every caller of this puts a secret on a wire. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
