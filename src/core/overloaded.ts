/** Thrown when too much work of one kind is waiting. Nothing was changed; retrying shortly makes sense. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}
