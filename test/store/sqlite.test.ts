import { conformance } from './conformance.ts';
import { sqliteDatabase } from './sqlite-database.ts';

conformance('SQLite, writing in a thread', () => sqliteDatabase('thread'));
conformance('SQLite, writing here', () => sqliteDatabase('here'));
