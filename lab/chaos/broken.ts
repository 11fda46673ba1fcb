/** The broken promises of a drill. */
export class Broken {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  where(isBroken: boolean, what: string): void {
    if (!isBroken) return;
    this.#count++;
    console.error(`BROKEN ${what}`);
  }
}
