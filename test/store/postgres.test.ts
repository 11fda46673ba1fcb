import { conformance } from './conformance.ts';
import { usedDatabase } from './postgres-database.ts';

conformance('PostgreSQL', usedDatabase);
