"""Puts ids that exist into most of the generated requests: random ones are answered with 404 alone.

infra/contract.mjs names the file with the ids in BELLTOWER_SEED.
"""
import json
import os
import re
from itertools import count

import schemathesis

with open(os.environ["BELLTOWER_SEED"]) as file:
    seed = json.load(file)

# One request in four keeps its generated ids, so that unknown ones are tried, too.
calls = count(1)

# The kind of resource that a path parameter names, by the part of the path before it.
prefixes = {
    "monitors": "mon",
    "checks": "chk",
    "pages": "pg",
    "components": "cmp",
    "channels": "ch",
    "deliveries": "dlv",
    "deploys": "dep",
    "escalation-policies": "pol",
    "import/jobs": "imp",
    "incident-templates": "tpl",
    "incidents": "inc",
    "members": "usr",
    "mutes": "mute",
    "oncall/schedules": "sch",
    "subscribers": "sub",
}

tokens = {"heartbeat": "pingToken", "push": "pushToken"}

# Query fields that name resources.
named = {"monitorId": "mon", "pageId": "pg", "incidentId": "inc"}

# Fields of a page whose change would hide it from the other requests.
kept = {"slug", "visibility"}


def value_of(path, name, deletes):
    """A value that exists for a path parameter; None if there is none."""
    before = path.split("{%s}" % name)[0].removeprefix("/api/v1/").strip("/").split("}/")[-1]
    if name in ("slug", "component"):
        return seed["values"].get(name)
    if name == "token":
        return seed["values"].get(tokens.get(before))
    kind = next((one for one in prefixes if before == one or before.endswith("/" + one)), None)
    if kind is None:
        return None
    if deletes:
        spares = seed["spares"].get(kind, [])
        return spares.pop() if spares else None
    return seed["ids"].get(prefixes[kind])


def with_real_ids(value):
    """The example ids of a body become those of resources that exist."""
    if isinstance(value, dict):
        return {name: with_real_ids(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_real_ids(inner) for inner in value]
    found = re.fullmatch(r"([a-z]+)_[0-9a-z]+", value) if isinstance(value, str) else None
    return seed["ids"].get(found[1], value) if found else value


def is_positive(case):
    """Whether the request is meant to be valid; one that is meant to be refused stays as it is."""
    meta = getattr(case, "meta", None)
    return meta is None or str(getattr(meta.generation.mode, "value", meta.generation.mode)) == "positive"


@schemathesis.hook
def before_call(context, case, kwargs):
    if not is_positive(case) or next(calls) % 4 == 0:
        return
    parameters = case.path_parameters or {}
    for name in list(parameters):
        value = value_of(case.operation.path, name, case.operation.method.upper() == "DELETE")
        if value is not None:
            parameters[name] = value
    token = seed["tokens"].get(parameters.get("id"))
    query = case.query or {}
    for name in list(query):
        if name in named:
            query[name] = seed["ids"][named[name]]
        elif name == "token" and token is not None:
            query[name] = token
    if isinstance(case.body, dict):
        case.body = with_real_ids(case.body)
        if "token" in case.body and token is not None:
            case.body["token"] = token
        if case.operation.path.endswith("/pages/{pageId}"):
            case.body = {name: value for name, value in case.body.items() if name not in kept}
