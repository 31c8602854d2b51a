"""Prints the fields of the client's types as JSON, for client.test.ts."""

import dataclasses
import json
import typing

import gleaner


def shape(hint):
    if typing.is_typeddict(hint) if hasattr(typing, "is_typeddict") else hasattr(hint, "__total__"):
        return fields(hint, hint.__required_keys__)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return {"kind": "enum", "values": list(arguments)}
    if origin is typing.Union:
        (some,) = [one for one in arguments if one is not type(None)]
        return {"kind": "nullable", "of": shape(some)}
    if origin is list:
        return {"kind": "array", "of": shape(arguments[0])}
    return {"kind": {str: "string", int: "integer", float: "number", bool: "boolean", dict: "object"}[origin or hint]}


def fields(kind, required):
    hints = {name: hint for name, hint in typing.get_type_hints(kind).items() if name != "_http"}
    return {
        "kind": "fields",
        "required": sorted(name for name in required if name != "_http"),
        "fields": {name: shape(hint) for name, hint in hints.items()},
    }


kinds = {
    name: shape(kind)
    for name, kind in vars(gleaner).items()
    if isinstance(kind, type) and hasattr(kind, "__total__") and not name.startswith("_")
}
run = fields(gleaner.Run, [field.name for field in dataclasses.fields(gleaner.Run)])
# `items` of the API is `item_count` here, since `Run.items` yields the items.
run["required"] = sorted("items" if name == "item_count" else name for name in run["required"])
run["fields"]["items"] = run["fields"].pop("item_count")
print(json.dumps({**kinds, "Run": run}))
