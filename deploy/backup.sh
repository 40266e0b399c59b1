#!/usr/bin/env bash
# Dumps the ledger and its roles every BACKUP_EVERY_SECONDS into BACKUP_FOLDER, and keeps the last BACKUP_KEEP of them. A dump that
# broke off is not left behind and removes no older one. `backup.sh once` makes one and ends.
set -uo pipefail
trap 'kill "$(jobs -p)" 2>/dev/null; exit 0' TERM INT

backup() {
  local name part
  name=$(date -u +%Y%m%dT%H%M%SZ)
  part=$BACKUP_FOLDER/.part
  rm -rf "$part" && mkdir -p "$part" || return 1
  if pg_dumpall --roles-only --file "$part/roles.sql" && pg_dump --format custom --file "$part/ledger.dump"; then
    mv "$part" "$BACKUP_FOLDER/$name" && echo "Backup $name" || return 1
  else
    rm -rf "$part"
    echo "Backup $name failed; the older ones stay" >&2
    return 1
  fi
  # Names sort by time.
  find "$BACKUP_FOLDER" -mindepth 1 -maxdepth 1 -name '2*Z' | sort | head -n "-$BACKUP_KEEP" | xargs -r rm -rf
}

if [ "${1:-}" = once ]; then
  backup
  exit
fi
while :; do
  backup
  sleep "$BACKUP_EVERY_SECONDS" &
  wait $!
done
