"""Reads from the code of tests what each runs, and whether it asserts anything. Imported by check-rows.

A test uses the declarations of its own file that it names. Of the other files of its target, and of Tests/Support, it uses the types that it names
and the functions that it calls; of a type its properties, and the functions that are called. What these use, it uses as well. Other tests are not
among them, and comments count for nothing.
"""
import bisect
import dataclasses
import functools
import re

# An interpolation, in whose brackets there may be other strings, and brackets in these brackets.
INNER = r'[^()"\n]|"(?:\\.|[^"\\\n])*"'
for _ in range(4):
    INNER = rf'[^()"\n]|"(?:\\.|[^"\\\n])*"|\((?:{INNER})*\)'
# What is no code: comments, strings and regular expressions. Raw strings come first, in which a quote and a backslash mean nothing.
TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/|(?P<many>#+)"""\n.*?"""(?P=many)|"""\n(?:\\.|[^\\])*?"""|(?P<one>#+)".*?"(?P=one)'
    rf'|"(?:\\\((?:{INNER})*\)|\\[^(]|[^"\\\n])*"'
    r"|#/.*?/#|(?<=[(\s,])/(?=[^\s/*])(?:\\.|[^/\\\n])+/(?=[,)\s.])",
    re.DOTALL,
)
TEST = re.compile(r"@Test\b")
NAME = re.compile(r'@Test\(\s*#*"((?:[^"\\]|\\.)*)"', re.DOTALL)
FUNCTION = re.compile(r"\bfunc\b")
DECLARATION = re.compile(
    r"^(?P<indent> *)(?P<words>(?:(?:@\w+(?:\([^\n]*?\))?|private|fileprivate|package|public|static|final|nonisolated(?:\(unsafe\))?|mutating|lazy"
    r"|indirect|override) )*)(?:(?P<keyword>func|struct|class|enum|actor|extension|let|var) (?:[\w.]+\.)?(?P<name>\w+)|(?P<init>init)\b)",
    re.MULTILINE,
)
BRACKET = re.compile(r"[{}()\[\]]")
BRACKET_OR_END = re.compile(r"[{}()\[\]\n]")
WORD = re.compile(r"[A-Za-z_]\w*")
CALLED = re.compile(r"([A-Za-z_]\w*)(?:[(<]| \{)")
CALLED_FREELY = re.compile(r"(?<![.\w])([a-z]\w*)\(")
LOCAL = re.compile(r"\bfunc (\w+)")

# A wait for what does not come records an issue, as Tests/Support says. A comparison of two numbers is always the same.
ASSERTION = re.compile(
    r"#expect(?:\((?!\s*(?:true\b|\d+\s*[<>=!]+\s*\d+\s*[,)]))|\s*\{)|#require\b|\bIssue\.record\(|\bconfirmation\(|\bwaitPatiently\("
    r"|\b(?:eventually|callback)\s*(?:<[^>\n]*>)?[({]"
)
# What keeps a test from being run, always or sometimes.
NEVER = re.compile(r"\.disabled\(|\.enabled\(\s*if:\s*false\b|\barguments:\s*\[\s*\]")
SOMETIMES = re.compile(r"\.enabled\(\s*if:|\.nightly\b")
SUITE = re.compile(r"@Suite\b")
TYPE = re.compile(r"\b(?:struct|class|enum|actor|extension) \w")
RUN = re.compile(r"\.run\(|\.start\(")
REAL_GRAPH = re.compile(r"\b\w*[eE]nvironment(?:\((?:[^()]|\([^()]*\))*\))?\.graph\(")
REAL_STEPS = re.compile(r"\bStartupSteps\(")
SIMULATED = re.compile(r"\.simulated\(")
SCENARIO = re.compile(r"\.graph\(|\bgraph\(of:")
GRAPH = re.compile(r"\.validated\(\)|\bValidatedGraph\b")
SOURCES = re.compile(r"\bSourceFiles\(")
TOOL = re.compile(r"\bTool\.|\bTerminalTool\b")
LAUNCHED = re.compile(r'"(?:run|bench)"|\$TOOL\S* (?:run|bench)\b')
DRAWN = re.compile(r'"(?:graph|scenarios|verify)"|\$TOOL\S* (?:graph|scenarios|verify)\b')
VIRTUAL = re.compile(r"--clock\b\W+virtual")


def without_text(source, comments_only=False):
    """The source, as long as before, with blanks in place of comments, and of strings unless they are to stay."""

    def blank(match):
        return match[0] if comments_only and match[0][:2] not in ("//", "/*") else re.sub(r"[^\n]", " ", match[0])

    return TEXT.sub(blank, source)


def end_of_block(code, start):
    """Behind the brace that closes the first one that is open from `start` on; the end of the code when there is none."""
    depth = brackets = 0
    for match in BRACKET.finditer(code, start):
        bracket = match[0]
        if bracket in "([":
            brackets += 1
        elif bracket in ")]":
            brackets -= 1
        elif bracket == "{":
            depth += 1
        else:
            depth -= 1
            if depth == 0 and brackets == 0:
                return match.end()
    return len(code)


def end_of_value(code, start):
    """The end of a stored or computed property's line, or of the lines that its brackets keep together."""
    depth = 0
    for match in BRACKET_OR_END.finditer(code, start):
        bracket = match[0]
        if bracket in "{([":
            depth += 1
        elif bracket in "})]":
            depth -= 1
            if depth < 0:
                return match.start()
        elif depth == 0 and not re.match(r"\s*[.?:]", code[match.end() :]):
            return match.start()
    return len(code)


@dataclasses.dataclass(frozen=True)
class Declaration:
    name: str
    is_type: bool
    is_function: bool
    is_seen_elsewhere: bool
    file: "File"
    start: int
    end: int


class File:
    """A file of tests: its tests, and its declarations outside of functions, by their names."""

    def __init__(self, path, source):
        self.path = path
        self.source = source
        self.code = without_text(source)
        self.shown = without_text(source, comments_only=True)
        self.tests = []
        self.own = {}
        inside = 0
        tests = []
        for match in TEST.finditer(self.code):
            function = FUNCTION.search(self.code, match.end())
            if function:
                tests.append((match.start(), function.end(), end_of_block(self.code, function.end())))
        suites = []
        for match in SUITE.finditer(self.code):
            if declared := TYPE.search(self.code, match.end()):
                suites.append((match.start(), declared.start(), end_of_block(self.code, declared.end())))
        starts = [start for start, _, _ in tests]
        for start, body, end in tests:
            name = NAME.match(source, start)
            traits = [self.code[start:body]] + [self.code[begin:type_] for begin, type_, last in suites if type_ < start < last]
            is_run = "never" if any(map(NEVER.search, traits)) else "sometimes" if any(map(SOMETIMES.search, traits)) else "always"
            self.tests.append((name[1] if name else None, is_run, start, end))
        for match in DECLARATION.finditer(self.code):
            place = bisect.bisect(starts, match.end()) - 1
            if match.start() < inside or place >= 0 and match.end() <= tests[place][2]:
                continue
            keyword = match["keyword"] or "init"
            end = end_of_value(self.code, match.end()) if keyword in ("let", "var") else end_of_block(self.code, match.end())
            is_type = keyword in ("struct", "class", "enum", "actor", "extension")
            if is_type and bisect.bisect(starts, match.end()) != bisect.bisect(starts, end):
                # A suite: what a test uses of it is named by itself, and the other tests are not used.
                continue
            if not is_type:
                inside = end
            declaration = Declaration(
                match["name"] or "init", is_type, keyword == "func", not match["indent"] and "private" not in match["words"], self, match.start(), end
            )
            self.own.setdefault(declaration.name, []).append(declaration)

    @functools.cache
    def members(self, declaration):
        """What a type declares that is no type."""
        found = [member for declarations in self.own.values() for member in declarations]
        return [member for member in found if not member.is_type and declaration.start < member.start and member.end <= declaration.end]

    @functools.cache
    def words(self, start, end):
        return [frozenset(pattern.findall(self.code, start, end)) for pattern in (WORD, CALLED, CALLED_FREELY, LOCAL)]


class Target:
    """The files that are compiled together, and those that they import."""

    def __init__(self, files):
        self.types, self.functions = {}, {}
        for file in files:
            for declaration in (declaration for declarations in file.own.values() for declaration in declarations):
                if declaration.is_seen_elsewhere and declaration.name != "init":
                    (self.types if declaration.is_type else self.functions).setdefault(declaration.name, []).append(declaration)

    def used(self, own_file, start, end, is_everywhere):
        """The places that a test comes by, each a file with its begin and end; its own first."""
        places, todo, seen = [], [(own_file, start, end)], set()
        # Of the types of other files: the functions that nothing has called so far, and the names that were called.
        uncalled, all_called = {}, set()

        def find(declarations):
            for declaration in declarations:
                if declaration in seen:
                    continue
                seen.add(declaration)
                if declaration.is_type:
                    members = declaration.file.members(declaration)
                    find(member for member in members if not member.is_function or member.name in all_called)
                    for member in members:
                        uncalled.setdefault(member.name, []).append(member)
                else:
                    todo.append((declaration.file, declaration.start, declaration.end))

        while todo:
            file, start, end = todo.pop()
            places.append((file, start, end))
            words, called, called_freely, local = file.words(start, end)
            all_called |= called
            for name in words & file.own.keys():
                find(declaration for declaration in file.own[name] if not declaration.is_function or name in called)
            if is_everywhere:
                for name in words & self.types.keys():
                    find(self.types[name])
                for name in (called_freely & self.functions.keys()) - file.own.keys() - local:
                    find(self.functions[name])
                for name in called & uncalled.keys():
                    find(uncalled.pop(name))
        return places


@dataclasses.dataclass(frozen=True)
class Test:
    file: File
    target: Target
    name: "str | None"
    # "always", "sometimes" (at night, or where the machine has the means for it) or "never".
    is_run: str
    start: int
    end: int

    @functools.cached_property
    def asserts(self):
        """Whether something in its own file can fail it, beyond an error that is thrown: of a helper of several files it uses perhaps little."""
        places = self.target.used(self.file, self.start, self.end, is_everywhere=False)
        return any(ASSERTION.search(file.code, start, end) for file, start, end in places)

    @functools.cached_property
    def kind(self):
        """The most that it runs: "real", "simulated", "alone"; or "graph" or "sources" when it runs nothing and looks at those."""
        places = self.target.used(self.file, self.start, self.end, is_everywhere=True)
        text = "\n".join(file.shown[start:end] for file, start, end in places)
        is_run = RUN.search(text)
        if TOOL.search(text) and LAUNCHED.search(text):
            return "simulated" if VIRTUAL.search(text) else "real"
        if TOOL.search(text) and DRAWN.search(text):
            return "graph"
        is_scenario = SCENARIO.search(text)
        if is_run and (REAL_GRAPH.search(text) or is_scenario and REAL_STEPS.search(text)):
            return "real"
        if is_run and is_scenario and SIMULATED.search(text):
            return "simulated"
        if SOURCES.search(text):
            return "sources"
        if not is_run and (GRAPH.search(text) or SIMULATED.search(text)):
            return "graph"
        return "alone"


def tests_in(root):
    """Every test of the package and of its examples, in the order of their files."""
    shared = sorted((root / "Tests" / "Support").rglob("*.swift"))
    folders = [path for path in sorted((root / "Tests").glob("*")) if path.is_dir() and path.name != "Support"]
    for folder in [*folders, *sorted((root / "Examples").glob("*/Tests"))]:
        files = [File(path, path.read_text(encoding="utf-8")) for path in [*shared, *sorted(folder.rglob("*.swift"))]]
        target = Target(files)
        for file in files:
            for name, is_run, start, end in file.tests:
                yield Test(file, target, name, is_run, start, end)
