// What other files show of the admin door on SQLite, on PostgreSQL.
// Only in test:all: every kind of act
// Own process: it loads other test files.
process.env['TEST_ADMIN_STORE'] = 'PostgreSQL';
for (const part of ['careless', 'door', 'hostile', 'proof', 'record']) await import(`./admin-${part}.test.ts`);
