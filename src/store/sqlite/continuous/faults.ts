// What can be wrong with a continuous backup, apart from the disk that it is on.
import { OperatorFault } from '../../../core/faults.ts';
/** A file of the backup is missing or is not what was written. */
export class DamagedBackup extends Error {
  override readonly name = 'DamagedBackup';
}

/** The backup cannot be written here. `todo`: what the operator can do. */
export class BackupRefused extends OperatorFault {}
