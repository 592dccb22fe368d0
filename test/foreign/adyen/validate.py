"""Validates HTTP requests against an OpenAPI document with openapi-core, which shares no code with the gateway.

usage: validate.py <document.json> < requests.jsonl

Each line of the input is a request as JSON: name, method, path, headers, body. Each line of the output is {"name", "faults"}. The document
is read strictly: a field that it does not name is a fault, and what its descriptions say of lengths and forms counts like its keywords.
"""

import json
import re
import sys
from urllib.parse import parse_qsl

from openapi_core import OpenAPI
from openapi_core.testing import MockRequest

BASE = "https://checkout-test.adyen.com"


def tighten(node):
    """Lets no object that lists its properties have others, and no text be other than its description says."""
    if isinstance(node, list):
        for one in node:
            tighten(one)
    elif isinstance(node, dict):
        if isinstance(node.get("properties"), dict) and "additionalProperties" not in node:
            node["additionalProperties"] = False
        if node.get("type") == "string" and isinstance(node.get("description"), str):
            tighten_text(node, node["description"])
        for one in node.values():
            tighten(one)


def tighten_text(schema, description):
    for keyword, words in (("minLength", r"min(?:imum)? ?length"), ("maxLength", r"max(?:imum)? ?length")):
        found = re.search(words + r":\s*(\d+)", description, re.IGNORECASE)
        if found:
            schema.setdefault(keyword, int(found.group(1)))
    # Described as a date without seconds and zone, of which RFC 3339 has no form.
    if schema.get("format") == "date-time" and "yyyy-MM-dd" in description:
        del schema["format"]
        schema["pattern"] = r"^\d{4}-\d\d-\d\d(T\d\d:\d\d)?$"
    elif "Must not be all zeros" in description:
        schema.setdefault("pattern", r"^(?!0+$)(?! )")
    elif "Encoding: ASCII" in description:
        schema.setdefault("pattern", r"^[ -~]*$")


def unknown_parameters(document, method, path, names):
    """openapi-core takes parameters of a query that the document does not have."""
    version = re.sub(r"^/v\d+", "", path)
    known = document["paths"].get(version, {}).get(method, {}).get("parameters", [])
    known = {one["name"] for one in known if one.get("in") == "query"}
    return [f"the query has {name}, which the document does not have" for name in names if name not in known]


def faults_in(openapi, document, request):
    path, _, query = request["path"].partition("?")
    arguments = dict(parse_qsl(query))
    unknown = unknown_parameters(document, request["method"], path, arguments)
    if unknown:
        return unknown
    given = MockRequest(
        BASE,
        request["method"],
        path,
        args=arguments,
        headers=request["headers"],
        data=None if request["body"] is None else json.dumps(request["body"]).encode(),
        content_type=request["headers"].get("content-type", ""),
    )
    try:
        openapi.validate_request(given)
        return []
    except Exception as fault:  # whatever it is, the request is not one of the document's
        causes = [fault, fault.__cause__]
        schema = getattr(fault.__cause__, "schema_errors", None) or []
        return [repr(cause) for cause in causes if cause is not None] + [
            f"{'/'.join(map(str, one.absolute_path))}: {one.message[:300]}" for one in schema
        ]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        document = json.load(file)
    tighten(document["components"]["schemas"])
    openapi = OpenAPI.from_dict(document)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"name": request["name"], "faults": faults_in(openapi, document, request)}), flush=True)


main()
