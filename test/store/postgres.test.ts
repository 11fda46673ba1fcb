import { conformance } from './conformance.ts';
import { postgresDatabase } from './postgres-database.ts';

conformance('PostgreSQL', postgresDatabase);
