"""Draws graphs with Mermaid itself, as the Python package mermaidx bundles it, and looks for every label in the drawing.

    mermaid.py GRAPH DIAGRAM [GRAPH DIAGRAM]...

GRAPH is a graph as JSON, DIAGRAM what was written of it for Mermaid. Mermaid drops what it does not understand, often without a word.
"""

import json
import re
import sys
import xml.dom.minidom

import mermaidx


def text_of(element):
    if element.tagName in ("style", "title"):
        return ""
    parts = []
    for child in element.childNodes:
        if child.nodeType == child.TEXT_NODE:
            parts.append(child.data)
        elif child.nodeType == child.ELEMENT_NODE:
            parts.append(text_of(child) + (" " if child.tagName in ("div", "p", "text", "br") else ""))
    return "".join(parts)


def words(text):
    # A word joiner keeps signs apart that would be syntax together.
    return re.sub(r"\s+", " ", text.replace("\u2060", "")).strip()


# What is not shown as it is: control characters, those that turn the direction of writing, and those that nobody sees.
UNSEEN = re.compile(
    "[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufffe\uffff\U000e0000-\U000e0fff]"
)

failed = False
for graph_file, diagram_file in zip(sys.argv[1::2], sys.argv[2::2]):
    with open(graph_file, encoding="utf-8") as file:
        operations = json.load(file)["operations"]
    with open(diagram_file, encoding="utf-8") as file:
        diagram = file.read()
    svg = mermaidx.render(diagram).svg()
    shown = words(text_of(xml.dom.minidom.parseString(svg).documentElement))
    missing = []
    for operation in operations:
        title = operation.get("title", "")
        label = title if title.strip() else operation["id"]
        for part in UNSEEN.split(label[:40]):
            if words(part) not in shown:
                missing.append(label)
    if missing:
        failed = True
        print(f"{diagram_file}: not in the drawing: {missing[:10]}", file=sys.stderr)
    print(f"{diagram_file}: {len(operations)} operations drawn")
sys.exit(1 if failed else 0)
