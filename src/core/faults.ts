/** A fault that ends when an operator acts. `todo`: how. */
export class OperatorFault extends Error {
  readonly todo: string;

  constructor(what: string, todo: string) {
    super(what);
    this.todo = todo;
  }
}

/** Thrown when too much work of one kind is waiting. Nothing was changed; retrying shortly makes sense. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}

/** Thrown when a directory cannot answer: unreachable, misconfigured, or too slow. Nothing was changed; a later retry makes sense. */
export class DirectoryAway extends Error {
  override readonly name = 'DirectoryAway';
}

/** The directory answers, but not all of one entry can be read. It says nothing about the other entries. */
export class EntryUnreadable extends DirectoryAway {}

/** A password was checked and is wrong, before the work that hides whose it was failed: the attempt counts. */
export class FailedAfterCheck extends Error {
  override readonly name = 'FailedAfterCheck';

  constructor(cause: unknown) {
    super('a sign-in failed', { cause });
  }
}
