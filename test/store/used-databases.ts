// Databases that are emptied after a test and used for the next one: that takes PostgreSQL a tenth of what a new one takes.
import type { PostgresServer } from './postgres-server.ts';

const TABLES = `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`;

/** Copies the rows that the migrations have written, and the positions of the sequences. */
const COPY_FIRST = `CREATE SCHEMA first;
  CREATE TABLE first.sequence_values AS SELECT format('%I.%I', schemaname, sequencename) AS name, last_value
    FROM pg_sequences WHERE schemaname = 'public';
  DO $$ DECLARE name text; isFilled boolean; BEGIN
    FOR name IN ${TABLES} LOOP
      EXECUTE format('SELECT EXISTS (TABLE public.%I)', name) INTO isFilled;
      IF isFilled THEN EXECUTE format('CREATE TABLE first.%I AS TABLE public.%I', name, name); END IF;
    END LOOP;
  END $$`;

const RESTORE_FIRST = `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid();
  DO $$ DECLARE name text; BEGIN
    EXECUTE (SELECT 'TRUNCATE ' || string_agg(format('public.%I', relname), ', ') || ' CASCADE'
      FROM (${TABLES} AND pg_relation_size(oid) > 0) AS filled);
    FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'first'::regnamespace AND relkind = 'r'
        AND relname <> 'sequence_values' LOOP
      EXECUTE format('INSERT INTO public.%I SELECT * FROM first.%I', name, name);
    END LOOP;
    PERFORM setval(value.name::regclass, coalesce(last_value, 1), last_value IS NOT NULL) FROM first.sequence_values AS value;
  END $$`;

/** Only for tests that leave the schema as it is. */
export class UsedDatabases {
  readonly #server: PostgresServer;
  readonly #template: string;
  readonly #free: string[] = [];
  #made = 0;

  /** `template`: a migrated database. */
  constructor(server: PostgresServer, template: string) {
    this.#server = server;
    this.#template = template;
  }

  /** The name of an empty database. */
  async take(): Promise<string> {
    const used = this.#free.pop();
    if (used !== undefined) return used;
    const name = `used_${++this.#made}`;
    await this.#server.query(`CREATE DATABASE ${name} TEMPLATE ${this.#template} STRATEGY file_copy`);
    await this.#server.query(COPY_FIRST, name);
    return name;
  }

  async giveBack(name: string): Promise<void> {
    await this.#server.query(RESTORE_FIRST, name);
    this.#free.push(name);
  }
}
