// Ten thousand pages of a snapshot that names one more page each time.
// Only in test:all: long property runs
import { givenUp } from './endless-snapshot.ts';

givenUp('has no end', 10_001, (count) => `p${count}`);
