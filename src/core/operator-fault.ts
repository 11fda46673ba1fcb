/** A fault that ends when an operator acts. `todo`: how. */
export class OperatorFault extends Error {
  readonly todo: string;

  constructor(what: string, todo: string) {
    super(what);
    this.todo = todo;
  }
}
