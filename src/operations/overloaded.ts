/** Too much of one kind of work waits already: asking again shortly makes sense, and nothing was changed. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}
