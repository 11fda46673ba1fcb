import { inspect } from 'node:util';

const HIDDEN = '[secret]';

/** A text that is never printed by accident: JSON, template strings, concatenation and `util.inspect` show a placeholder. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The only way to the text. Callers send it, hash it or compare it. */
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
