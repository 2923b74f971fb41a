"""A small reader of C++ files: which names stand in which namespaces, and where.

It knows enough of the language for sources that clang-format has formatted; it does not expand
macros and reads every branch of #if.
"""

import re
from dataclasses import dataclass, field

TOKEN = re.compile(r"""
  (?P<space>\s+)
 |(?P<comment>//[^\n]*|/\*.*?\*/)
 |(?P<string>(?:u8|[uUL])?R"(?P<delim>[^()\\\s"]{0,16})\(.*?\)(?P=delim)"
            |(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"
            |'(?:[^'\\\n]|\\.)+')
 |(?P<number>\.?\d(?:[eEpP][+-]|[\w.'])*)
 |(?P<name>[A-Za-z_]\w*)
 |(?P<punct>::|->|.)
""", re.X | re.S)
DIRECTIVE = re.compile(r"#(?:[^\n\\]|\\.)*", re.S)
INCLUDE = re.compile(r'#\s*include\s*["<]([^">]+)[">]')
CLOSE = {"(": ")", "[": "]", "{": "}"}
LEADING = {"typedef", "static", "constexpr", "inline", "extern", "const", "constinit", "consteval",
           "mutable", "thread_local", "explicit", "virtual", "volatile"}
NOT_NAMES = {"alignas", "decltype", "noexcept", "__attribute__", "requires", "sizeof", "throw"}
BUILTIN = {"int", "double", "bool", "char", "long", "unsigned", "auto", "float", "short", "void", "const"}


@dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int


@dataclass
class Decl:
    kind: str  # type, forward, alias, function, variable, directive
    name: str
    path: tuple  # namespaces; "" for an unnamed one
    first: int   # token numbers
    name_at: int
    last: int
    quals: list = field(default_factory=list)
    qual_at: int = -1
    params: tuple = None  # token range between the parentheses
    body: bool = False
    special: bool = False  # template <> or an explicit instantiation
    target: tuple = ()     # of a using-directive

    @property
    def anonymous(self):
        return "" in self.path


@dataclass
class Block:
    own: tuple     # what this opener adds
    path: tuple
    opener: int    # token of `namespace`
    brace: int
    close: int = -1
    parent: object = None


class Source:
    def __init__(self, text):
        self.text = text
        self.tokens, self.includes = tokenize(text)
        self.decls, self.blocks = [], []
        self._scope(0, (), None, False)

    # -- helpers ---------------------------------------------------------------
    def at(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def kind(self, i):
        return self.tokens[i].kind if 0 <= i < len(self.tokens) else ""

    def skip(self, i):
        """Behind the bracket that closes the one at i."""
        stack = []
        while i < len(self.tokens):
            t = self.tokens[i].text if self.tokens[i].kind == "punct" else ""
            if t in CLOSE:
                stack.append(CLOSE[t])
            elif stack and t == stack[-1]:
                stack.pop()
                if not stack:
                    return i + 1
            i += 1
        raise ValueError("a bracket that is not closed")

    def skip_angle(self, i):
        """Behind the > of the < at i."""
        depth = 0
        while i < len(self.tokens):
            t = self.at(i)
            if t in CLOSE:
                i = self.skip(i)
                continue
            if t == "<":
                depth += 1
            elif t == ">":
                depth -= 1
                if depth == 0:
                    return i + 1
            elif t == ";":
                raise ValueError(f"< without > near {self.text[self.tokens[i].start - 80:self.tokens[i].start]!r}")
            i += 1
        raise ValueError("< without >")

    def skip_attributes(self, i):
        while True:
            if self.at(i) == "[" and self.at(i + 1) == "[":
                i = self.skip(i)
            elif self.at(i) in ("alignas", "__attribute__") and self.at(i + 1) == "(":
                i = self.skip(i + 1)
            else:
                return i

    # -- scopes ------------------------------------------------------------------
    def _scope(self, i, path, block, inner):
        """Reads declarations until the } of this scope; returns its place."""
        while i < len(self.tokens):
            t = self.at(i)
            if t == "}":
                if not inner:
                    raise ValueError("a } too many")
                return i
            if t == ";":
                i += 1
            elif t == "namespace" or (t == "inline" and self.at(i + 1) == "namespace"):
                i = self._namespace(i, path, block)
            elif t == "extern" and self.kind(i + 1) == "string":
                if self.at(i + 2) == "{":
                    i = self._scope(i + 3, path, block, True) + 1
                else:
                    i = self._declaration(i + 2, i, path, False)
            elif t == "using":
                i = self._using(i, path)
            elif t == "template" or (t == "extern" and self.at(i + 1) == "template"):
                i = self._template(i, path)
            else:
                i = self._declaration(i, i, path, False)
        if inner:
            raise ValueError("a namespace that is not closed")
        return i

    def _namespace(self, i, path, block):
        opener = i
        i += 2 if self.at(i) == "inline" else 1
        i = self.skip_attributes(i)
        own = []
        while self.at(i) not in ("{", "=", ";"):
            if self.kind(i) == "name":
                own.append(self.at(i))
            i += 1
        if self.at(i) != "{":
            while self.at(i) != ";":
                i += 1
            return i + 1
        here = Block(tuple(own) or ("",), path + (tuple(own) or ("",)), opener, i, parent=block)
        self.blocks.append(here)
        here.close = self._scope(i + 1, here.path, here, True)
        return here.close + 1

    def _using(self, i, path):
        first = i
        end = i
        while self.at(end) != ";":
            end = self.skip(end) if self.at(end) in CLOSE else end + 1
        names = [self.at(k) for k in range(i + 1, end) if self.kind(k) == "name"]
        if self.at(i + 1) == "namespace":
            self.decls.append(Decl("directive", "", path, first, i + 1, end, target=tuple(names[1:])))
        elif self.at(i + 2) == "=":
            self.decls.append(Decl("alias", self.at(i + 1), path, first, i + 1, end))
        return end + 1

    def _template(self, i, path):
        first = i
        if self.at(i) == "extern":
            i += 1
        if self.at(i + 1) != "<":  # explicit instantiation
            while self.at(i) != ";":
                i += 1
            return i + 1
        special = self.at(i + 2) == ">"
        while self.at(i) == "template":
            i = self.skip_angle(i + 1)
        if self.at(i) == "using":
            return self._using(i, path)
        if self.at(i) == "concept":
            self.decls.append(Decl("type", self.at(i + 1), path, first, i + 1, i + 1))
            while self.at(i) != ";":
                i = self.skip(i) if self.at(i) in CLOSE else i + 1
            return i + 1
        if self.at(i) == "requires":
            i += 1
            if self.at(i) == "(":
                i = self.skip(i)
        return self._declaration(i, first, path, special)

    def _declaration(self, i, first, path, special):
        k = i
        while True:
            after = self.skip_attributes(k)
            if self.at(after) in LEADING:
                after += 1
            if after == k:
                break
            k = after
        if self.at(k) in ("class", "struct", "union", "enum"):
            end = self._type(k, first, path, special)
            if end is not None:
                return end
        return self._value(k, first, path, special)

    def _type(self, k, first, path, special):
        k += 1
        if self.at(k) in ("class", "struct"):
            k += 1
        k = self.skip_attributes(k)
        names, places = [], []
        while self.kind(k) == "name" and self.at(k) != "final":
            names.append(self.at(k))
            places.append(k)
            k += 1
            if self.at(k) == "<":
                k = self.skip_angle(k)
            if self.at(k) != "::":
                break
            k += 1
        if self.at(k) == "final":
            k += 1
        if self.at(k) == ";" and names:
            self.decls.append(Decl("forward", names[-1], path, first, places[-1], k, names[:-1],
                                   places[0], special=special))
            return k + 1
        if self.at(k) not in ("{", ":") or not names and self.at(k) == ":":
            return None
        while self.at(k) != "{":
            k = self.skip_angle(k) if self.at(k) == "<" else k + 1
            if self.at(k) == ";":  # enum X : int;
                return k + 1
        end = self.skip(k)
        while self.at(end) != ";":
            end = self.skip(end) if self.at(end) in CLOSE else end + 1
        if names:
            self.decls.append(Decl("type", names[-1], path, first, places[-1], end, names[:-1], places[0],
                                   body=True, special=special))
        return end + 1

    def _value(self, k, first, path, special):
        """A function or a variable."""
        start, name_at, params, equals, in_init = k, -1, None, False, False
        while k < len(self.tokens):
            t = self.at(k)
            if t == "operator" and params is None:
                name_at = k
                k += 1
                if self.at(k) == "(":
                    k += 2
                while self.at(k) != "(":
                    k += 1
                params = (k + 1, self.skip(k) - 1)
                k = params[1] + 1
            elif t == "(":
                end = self.skip(k)
                if params is None and not equals and self.kind(k - 1) == "name" and self.at(k - 1) not in NOT_NAMES:
                    name_at, params = k - 1, (k + 1, end - 1)
                    if name_at == start and self.at(end) != ":":  # a macro
                        if self.at(end) == "{":  # TEST(a, b) {}
                            end = self.skip(end)
                        elif self.at(end) == ";":
                            end += 1
                        return end
                k = end
            elif t == "[":
                k = self.skip(k)
            elif t == "<" and not equals and params is None and self.kind(k - 1) == "name":
                k = self.skip_angle(k)
            elif t == "=":
                equals = True
                if params is None and name_at < 0:
                    name_at = self._variable_name(k)
                k += 1
            elif t == ":" and params is not None and not equals:
                in_init = True
                k += 1
            elif t == "{":
                end = self.skip(k)
                if equals or (in_init and (self.kind(k - 1) == "name" or self.at(k - 1) == ">")):
                    k = end
                elif params is None:
                    if name_at < 0:
                        name_at = self._variable_name(k)
                    k = end
                else:
                    self._add_value("function", first, name_at, end - 1, path, special, params, True)
                    return end
            elif t == ";":
                if params is not None:
                    self._add_value("function", first, name_at, k, path, special, params, False)
                else:
                    if name_at < 0:
                        name_at = self._variable_name(k)
                    self._add_value("variable", first, name_at, k, path, special, None, True)
                return k + 1
            elif t == "}":
                raise ValueError(f"unexpected }} near {self.text[self.tokens[first].start:][:120]!r}")
            else:
                k += 1
        raise ValueError("a declaration without end")

    def _variable_name(self, k):
        k -= 1
        while self.at(k) == "]":
            while self.at(k) != "[":
                k -= 1
            k -= 1
        return k

    def _add_value(self, kind, first, name_at, last, path, special, params, body):
        name = self.at(name_at)
        if name == "operator":
            name = "".join(t.text for t in self.tokens[name_at:params[0] - 1])
        quals, k = [], name_at
        if self.at(k - 1) == "~":
            k -= 1
        while self.at(k - 1) == "::":
            k -= 2
            if self.at(k) == ">":
                depth = 0
                while True:
                    depth += {">": 1, "<": -1}.get(self.at(k), 0)
                    k -= 1
                    if depth == 0:
                        break
            if self.kind(k) != "name":
                k += 1
                break
            quals.insert(0, self.at(k))
        self.decls.append(Decl(kind, name, path, first, name_at, last, quals, k, params, body, special))

    # -- text ----------------------------------------------------------------------
    def signature(self, decl):
        """The types of the parameters."""
        out, part, depth = [], [], 0
        i, end = decl.params
        while i <= end:
            t = self.at(i) if i < end else ","
            if t == "," and depth == 0:
                if part:
                    out.append(self._parameter(part))
                part = []
            else:
                depth += {"<": 1, "(": 1, "[": 1, "{": 1, ">": -1, ")": -1, "]": -1, "}": -1}.get(t, 0)
                part.append(t)
            i += 1
        return tuple(out)

    @staticmethod
    def _parameter(part):
        if "=" in part:
            part = part[:part.index("=")]
        while part and part[-1] == "]":
            part = part[:len(part) - 1 - part[::-1].index("[")] + ["*"]
        if len(part) > 1 and re.match(r"[A-Za-z_]", part[-1]) and part[-2] != "::" and part[-1] not in BUILTIN:
            part = part[:-1]
        return " ".join(part)


def tokenize(text):
    tokens, includes, i, line_start = [], [], 0, True
    while i < len(text):
        if line_start and text[i] == "#":
            match = DIRECTIVE.match(text, i)
            include = INCLUDE.match(match[0])
            if include:
                includes.append(include[1])
            i = match.end()
            continue
        match = TOKEN.match(text, i)
        kind = match.lastgroup if match.lastgroup != "delim" else "string"
        if kind == "space":
            line_start = line_start or "\n" in match[0]
        else:
            if kind != "comment":
                tokens.append(Token(kind, match[0], match.start(), match.end()))
            line_start = kind == "comment" and "\n" in match[0]
        i = match.end()
    return tokens, includes
