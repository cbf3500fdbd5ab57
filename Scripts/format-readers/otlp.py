"""Reads OTLP/JSON as a collector does, with the protocol's own definitions, and compares the spans with the report.

    otlp.py REPORT TRACE [REPORT TRACE]...

Identifiers are hexadecimal in OTLP/JSON, where Protocol Buffers would have base64:
https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding. Unknown fields are refused.
"""

import base64
import json
import re
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

IDENTIFIERS = {"traceId": 32, "spanId": 16, "parentSpanId": 16}


def converted(value):
    if isinstance(value, list):
        return [converted(each) for each in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for key, member in value.items():
        if key in IDENTIFIERS:
            if not re.fullmatch("[0-9a-f]{%d}" % IDENTIFIERS[key], member) or not int(member, 16):
                raise ValueError(f"{key} {member!r} is not an identifier")
            member = base64.b64encode(bytes.fromhex(member)).decode()
        result[key] = converted(member)
    return result


def check(report, text):
    request = ExportTraceServiceRequest()
    json_format.ParseDict(converted(json.loads(text)), request, ignore_unknown_fields=False)
    spans = request.resource_spans[0].scope_spans[0].spans
    root, children = spans[0], spans[1:]
    faults = []
    if root.parent_span_id or root.name != report["scenario"]:
        faults.append("the first span is not the launch")
    if len({span.span_id for span in spans}) != len(spans) or len({span.trace_id for span in spans}) != 1:
        faults.append("identifiers of spans are shared, or there is more than one trace")
    names = {span.span_id: span.name for span in children}
    begin = root.start_time_unix_nano
    if root.end_time_unix_nano - begin != round(report["makespanMs"] * 1e6):
        faults.append("the launch's span has another length")
    if [span.name for span in children] != [operation["id"] for operation in report["operations"]]:
        faults.append("the spans are not the operations")
    known = {operation["id"] for operation in report["operations"]}
    for span, operation in zip(children, report["operations"]):
        start = operation["startMs"] if operation["startMs"] is not None else operation["endMs"]
        times = (span.start_time_unix_nano - begin, span.end_time_unix_nano - begin)
        if times != (round(start * 1e6), round(operation["endMs"] * 1e6)):
            faults.append(f"{span.name}: {times}")
        if span.parent_span_id != root.span_id:
            faults.append(f"{span.name} is not a child of the launch")
        if [names[link.span_id] for link in span.links] != [id for id in operation.get("after", []) if id in known]:
            faults.append(f"{span.name}: its links are not its dependencies")
        if (span.status.code == 2) != (operation["outcome"] in ("failed", "timedOut")):
            faults.append(f"{span.name}: status {span.status.code}")
        attributes = {each.key: each.value for each in span.attributes}
        if len(attributes) != len(span.attributes) or attributes["sequencer.outcome"].string_value != operation["outcome"]:
            faults.append(f"{span.name}: attributes")
    return len(children), sum(len(span.links) for span in children), faults


failed = False
for report_file, trace_file in zip(sys.argv[1::2], sys.argv[2::2]):
    with open(report_file, encoding="utf-8") as file:
        report = json.load(file)
    with open(trace_file, encoding="utf-8") as file:
        spans, links, faults = check(report, file.read())
    print(f"{trace_file}: {spans} spans, {links} links")
    for fault in faults[:10]:
        failed = True
        print(f"{trace_file}: {fault}", file=sys.stderr)
sys.exit(1 if failed else 0)
