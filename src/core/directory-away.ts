/** Thrown when a directory cannot answer: unreachable, misconfigured, or too slow. Nothing was changed; a later retry makes sense. */
export class DirectoryAway extends Error {
  override readonly name = 'DirectoryAway';
}
