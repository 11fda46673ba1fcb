// What admin-careless.test.ts shows of the admin door on SQLite, on PostgreSQL.
// Only in test:all: every kind of act
// Own process: it loads another test file.
import { test } from 'node:test';
import '../store/postgres-database.ts';

process.env['TEST_ADMIN_STORE'] = 'PostgreSQL';
await test('on PostgreSQL', async () => void (await import('./admin-careless.test.ts')));
