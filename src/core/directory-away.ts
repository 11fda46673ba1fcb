/** Thrown when a directory cannot answer: unreachable, misconfigured, or too slow. Nothing was changed; a later retry makes sense. */
export class DirectoryAway extends Error {
  override readonly name = 'DirectoryAway';
}

/** The directory answers, but not all of one entry can be read. It says nothing about the other entries. */
export class EntryUnreadable extends DirectoryAway {}
