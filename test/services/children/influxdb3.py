"""The write and query paths of InfluxDB 3, over Apache DataFusion, the SQL engine of InfluxDB 3.

Usage: influxdb3.py PORT TOKEN. Tables are in the schema `iox`, tags are dictionaries, `time` is a timestamp in
nanoseconds, and a row is identified by its tags and time. A request is stored whole or not at all.
"""

import json
import re
import sys
import threading
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pyarrow as pa
from datafusion import SessionConfig, SessionContext

TYPES = {int: pa.int64(), float: pa.float64(), str: pa.utf8(), bool: pa.bool_()}
# Any of: an escaped character, another one. Fields may hold quoted text with spaces and commas.
LINE = re.compile(r"((?:\\.|[^\\ ])+) ((?:\"(?:\\.|[^\"\\])*\"|[^\" ])+) (\d+)", re.S)
FIELD = re.compile(r"((?:\\.|[^\\,=])+)=(\"(?:\\.|[^\"\\])*\"|[^,]*)", re.S)


class Refused(Exception):
    pass


def unescaped(text, characters):
    return re.sub(rf"\\([{characters}])", r"\1", text)


def value_of(text):
    if text.startswith('"'):
        return unescaped(text[1:-1], r'"\\')
    if text in ("true", "false"):
        return text == "true"
    return int(text[:-1]) if text.endswith("i") else float(text)


def points_of(body):
    at = 0
    while at < len(body):
        match = LINE.match(body, at)
        if not match:
            raise Refused(f"not a line: {body[at:at + 80]}")
        key, *tags = re.split(r"(?<!\\),", match[1])
        pairs = [re.split(r"(?<!\\)=", tag, maxsplit=1) for tag in tags]
        yield (
            unescaped(key, ", "),
            {unescaped(name, ", =") : unescaped(value, ", =") for name, value in pairs},
            {unescaped(name, ", =") : value_of(value) for name, value in FIELD.findall(match[2])},
            int(match[3]),
        )
        at = match.end() + 1


def instants(column):
    """Times as InfluxDB 3 answers them: in UTC without a zone, with as many decimals as needed."""
    counts = column.cast(pa.timestamp("ns", column.type.tz)).cast(pa.int64()).to_pylist()
    return pa.array([None if ns is None else instant(ns) for ns in counts], pa.utf8())


def instant(ns):
    whole = datetime.fromtimestamp(ns // 1_000_000_000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{whole}.{ns % 1_000_000_000:09}".rstrip("0").rstrip(".")


class Database:
    def __init__(self):
        self.columns = {}  # of each table: the type of each column, "tag" for tags
        self.rows = {}
        self.context = None

    def write(self, body):
        points = list(points_of(body))
        columns = {table: dict(known) for table, known in self.columns.items()}
        for table, tags, fields, _ in points:
            known = columns.setdefault(table, {})
            for name, kind in [*((tag, "tag") for tag in tags), *((name, type(v)) for name, v in fields.items())]:
                if known.setdefault(name, kind) != kind:
                    raise Refused(f"invalid column type for column '{name}'")
        self.columns = columns
        for table, tags, fields, time in points:
            row = self.rows.setdefault(table, {}).setdefault((time, *sorted(tags.items())), {"time": time})
            row.update(tags)
            row.update(fields)
        self.context = None

    def query(self, sql, parameters):
        if self.context is None:
            self.context = self.opened()
        found = self.context.sql(sql, param_values=parameters).to_arrow_table()
        columns = [instants(column) if pa.types.is_timestamp(column.type) else column for column in found.columns]
        return pa.table(columns, names=found.column_names).to_pylist()

    def opened(self):
        config = SessionConfig().with_default_catalog_and_schema("public", "iox")
        context = SessionContext(
            config.with_create_default_catalog_and_schema(True).with_information_schema(True)
        )
        for table, columns in self.columns.items():
            rows = list(self.rows[table].values())
            arrays = {"time": pa.array([row["time"] for row in rows], pa.timestamp("ns"))}
            for name, kind in columns.items():
                arrow = pa.dictionary(pa.int32(), pa.utf8()) if kind == "tag" else TYPES[kind]
                arrays[name] = pa.array([row.get(name) for row in rows], arrow)
            context.register_record_batches(table, [pa.table(arrays).to_batches()])
        return context


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    databases, lock = {}, threading.Lock()

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def failed(self, status, message):
        self.answer(status, message.encode(), "text/plain")

    def is_known(self):
        return self.headers.get("Authorization") in (f"Bearer {TOKEN}", f"Token {TOKEN}")

    def do_GET(self):
        self.answer(200, b'{"version":"datafusion","revision":"0"}')

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if not self.is_known():
            return self.failed(401, "the request was not authenticated")
        address = urlsplit(self.path)
        with self.lock:
            if address.path == "/api/v3/write_lp":
                return self.write(parse_qs(address.query)["db"][0], body)
            if address.path == "/api/v3/query_sql":
                return self.query(json.loads(body))
        return self.failed(404, "not found")

    def write(self, database, body):
        try:
            self.databases.setdefault(database, Database()).write(body)
            self.answer(204)
        except Refused as error:
            fault = {"original_line": body[:80], "line_number": 1, "error_message": str(error)}
            said = {"error": "parsing failed for write_lp endpoint", "data": fault}
            self.answer(400, json.dumps(said).encode())

    def query(self, asked):
        database = self.databases.get(asked["db"])
        if database is None:
            return self.failed(404, f"database not found: {asked['db']}")
        try:
            rows = database.query(asked["q"], asked.get("params"))
        except Exception as error:  # as the engine says it
            return self.failed(400, str(error))
        # As InfluxDB 3 does: a column without a value is absent.
        rows = [{name: value for name, value in row.items() if value is not None} for row in rows]
        return self.answer(200, json.dumps(rows).encode())


PORT, TOKEN = int(sys.argv[1]), sys.argv[2]
ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
