#!/bin/sh
# Makes the passwords that compose.yaml names, each in a file of ./secrets, unless they are there already.
# The folder is closed to others. Its files can be read by all because the containers have users of their own.
set -eu
folder=${1:-secrets}
mkdir -p "$folder"
chmod 700 "$folder"
for name in influxdb_admin influxdb_csiflow influxdb_grafana mqtt_csiflow mqtt_reader grafana_admin; do
  [ -e "$folder/$name" ] && continue
  head -c 24 /dev/urandom | base64 | tr '+/' '-_' >"$folder/$name"
  chmod 644 "$folder/$name"
done
echo "passwords are in $folder"
