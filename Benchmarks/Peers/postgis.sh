# shellcheck shell=bash
# A PostGIS server of our own, on a Unix socket in a temporary directory, gone afterwards. Sourced by Scripts/bench.
#
#   postgis_start    installs what is missing, makes and starts a cluster; sets $postgis to the socket's directory
#   postgis_stop     stops and removes it; harmless when there is none

postgis_packages=(postgresql-15 postgresql-15-postgis-3)
postgis=''
postgis_programs=/usr/lib/postgresql/15/bin

# PostgreSQL refuses to run as root: there it runs as the user that Debian's package makes.
postgis_user() {
  if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}

postgis_start() {
  install_missing "${postgis_packages[@]}"
  postgis=$(mktemp -d)
  if [ "$(id -u)" = 0 ]; then chown postgres "$postgis"; fi
  chmod 711 "$postgis"
  local log=$postgis/server.log
  # Nothing here outlives the run, so nothing needs to reach the disk. Memory and workers as for a machine of its own.
  postgis_user "$postgis_programs/initdb" -D "$postgis/data" -U bench -A trust -E UTF8 --locale=C --no-sync \
    >/dev/null
  postgis_user "$postgis_programs/pg_ctl" -D "$postgis/data" -l "$log" -w -s start -o "-k '$postgis' -h '' \
    -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c wal_level=minimal -c max_wal_senders=0 \
    -c max_wal_size=8GB -c autovacuum=off -c shared_buffers=2GB -c work_mem=512MB -c maintenance_work_mem=1GB \
    -c effective_cache_size=8GB -c random_page_cost=1.1 -c jit=off \
    -c max_parallel_workers_per_gather=2 -c max_parallel_maintenance_workers=2 -c min_parallel_table_scan_size=0 -c min_parallel_index_scan_size=0 -c parallel_setup_cost=0 -c parallel_tuple_cost=0.01" ||
    { cat "$log" >&2; return 1; }
  # Compare runs as whoever started it; on Unix sockets the cluster trusts everyone who can reach the directory.
  psql -h "$postgis" -U bench -d postgres -qAt -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION postgis' >&2
}

postgis_stop() {
  [ -n "$postgis" ] || return 0
  postgis_user "$postgis_programs/pg_ctl" -D "$postgis/data" -m immediate -s stop || true
  rm -rf "$postgis"
  postgis=''
}
