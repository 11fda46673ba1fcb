// Who may do what at the admin door of a service on PostgreSQL.
// Only in test:all: every kind of act
import { permissionMatrix } from './admin-matrix.ts';

permissionMatrix('PostgreSQL');
