#!/bin/sh
# Runs once, when PostgreSQL makes its database: the roles of deploy/postgres/roles.sql, with passwords.
set -eu
psql --set=ON_ERROR_STOP=1 --set=owner="$OWNER_PASSWORD" --set=node="$NODE_PASSWORD" --username postgres --dbname tessera <<'SQL'
CREATE ROLE tessera_owner LOGIN PASSWORD :'owner';
CREATE ROLE tessera_node LOGIN PASSWORD :'node';
REVOKE ALL ON DATABASE tessera FROM PUBLIC;
GRANT CONNECT ON DATABASE tessera TO tessera_owner, tessera_node;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO tessera_owner;
GRANT USAGE ON SCHEMA public TO tessera_node;
ALTER DEFAULT PRIVILEGES FOR ROLE tessera_owner IN SCHEMA public
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO tessera_node;
ALTER DEFAULT PRIVILEGES FOR ROLE tessera_owner IN SCHEMA public
  GRANT SELECT, USAGE ON SEQUENCES TO tessera_node;
SQL
