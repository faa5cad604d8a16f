"""Runs Home Assistant's own core with its MQTT integration alone, as a child of a test.

home_assistant.py FOLDER BROKER_PORT HTTP_PORT USER PASSWORD

Each line of standard input is answered by one line of JSON: the states of all entities, the entities of the
registry with their unique ids, and what the integration complained about. The end of the input ends it.
"""

import asyncio
import json
import logging
import os
import sys

from homeassistant import auth, bootstrap, config_entries, core, loader
from homeassistant.helpers import device_registry, entity_registry
from homeassistant.setup import async_setup_component


class Complaints(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        if record.name.startswith("homeassistant.components.mqtt"):
            self.lines.append(f"{record.name}: {record.getMessage()}")


def write_configuration(folder, port, user, password):
    """The folder of a Home Assistant whose user has added the MQTT integration."""
    os.makedirs(f"{folder}/.storage")
    open(f"{folder}/configuration.yaml", "w").close()
    entry = {
        "entry_id": "csiflow",
        "version": 1,
        "minor_version": 2,
        "domain": "mqtt",
        "title": "MQTT",
        "data": {"broker": "127.0.0.1", "port": port, "username": user, "password": password},
        "options": {"discovery": True, "discovery_prefix": "homeassistant"},
        "source": "user",
        "pref_disable_new_entities": False,
        "pref_disable_polling": False,
        "unique_id": None,
        "disabled_by": None,
        "created_at": "2026-01-01T00:00:00+00:00",
        "modified_at": "2026-01-01T00:00:00+00:00",
        "discovery_keys": {},
        "subentries": [],
    }
    with open(f"{folder}/.storage/core.config_entries", "w") as file:
        json.dump(
            {"version": 1, "minor_version": 5, "key": "core.config_entries", "data": {"entries": [entry]}}, file
        )


async def start(folder, http_port):
    hass = core.HomeAssistant(folder)
    hass.config.skip_pip = True
    loader.async_setup(hass)
    hass.config_entries = config_entries.ConfigEntries(hass, {})
    await bootstrap.async_load_base_functionality(hass)
    hass.auth = await auth.auth_manager_from_config(hass, [], [])
    http = {"server_host": ["127.0.0.1"], "server_port": http_port}
    if not await async_setup_component(hass, "http", {"http": http}):
        raise SystemExit("the component http was not set up")
    if not await async_setup_component(hass, "mqtt", {}):
        raise SystemExit("the component mqtt was not set up")
    return hass


def shown(hass, complaints):
    entities = entity_registry.async_get(hass).entities.values()
    devices = device_registry.async_get(hass).devices.values()
    return {
        "states": {
            state.entity_id: {"state": state.state, "attributes": dict(state.attributes)}
            for state in hass.states.async_all()
        },
        "entities": {entity.unique_id: entity.entity_id for entity in entities},
        "devices": [device.name for device in devices],
        "complaints": complaints.lines,
    }


async def main(folder, port, http_port, user, password):
    complaints = Complaints()
    logging.getLogger().addHandler(complaints)
    write_configuration(folder, int(port), user, password)
    hass = await start(folder, int(http_port))
    while await asyncio.to_thread(sys.stdin.readline):
        await hass.async_block_till_done()
        print(json.dumps(shown(hass, complaints), default=str), flush=True)
    await hass.async_stop()


asyncio.run(main(*sys.argv[1:]))
