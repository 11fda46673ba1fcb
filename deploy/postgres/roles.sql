-- The roles of docs/postgresql.md. As an administrator, after CREATE DATABASE tessera: psql --file roles.sql
CREATE ROLE tessera_owner LOGIN;   -- migrations and moves
CREATE ROLE tessera_node LOGIN;    -- nodes
REVOKE ALL ON DATABASE tessera FROM PUBLIC;
GRANT CONNECT ON DATABASE tessera TO tessera_owner, tessera_node;
\c tessera
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO tessera_owner;
GRANT USAGE ON SCHEMA public TO tessera_node;
ALTER DEFAULT PRIVILEGES FOR ROLE tessera_owner IN SCHEMA public
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO tessera_node;
ALTER DEFAULT PRIVILEGES FOR ROLE tessera_owner IN SCHEMA public
  GRANT SELECT, USAGE ON SEQUENCES TO tessera_node;
