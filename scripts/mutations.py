# SPDX-License-Identifier: MIT
"""Reads C sources and finds what scripts/mutants can change in them."""
import re

TOKEN = re.compile(
    r"""(?P<skip>\s+|/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)
    |(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<op><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.X | re.S | re.M)
SWAPS = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["/"], "<<": [">>"], ">>": ["<<"],
    "&": ["|"], "|": ["&"], "^": ["|"], "&&": ["||"], "||": ["&&"], "++": ["--"], "--": ["++"],
    "+=": ["-="], "-=": ["+="], "*=": ["/="], "|=": ["&="], "&=": ["|="], "^=": ["|="],
    "<<=": [">>="], ">>=": ["<<="],
    "true": ["false"], "false": ["true"], "break": ["continue", ""], "continue": ["break", ""],
}
ASSIGNS = {"=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>=", "++", "--"}
# No operand ends and no statement worth leaving out begins with these.
KEYWORDS = set("return if else for while do switch case default break continue goto sizeof struct union enum "
               "const static extern typedef void char int unsigned long short bool float double".split())


class Mutant:
    def __init__(self, path, source, start, end, new):
        self.path, self.start, self.end = path, start, end
        old = source[start:end]
        self.text = source[:start] + new + "\n" * (old.count("\n") - new.count("\n")) + source[end:]
        self.line = source.count("\n", 0, start) + 1
        self.before = " ".join(source.splitlines()[self.line - 1:self.line + old.count("\n")])
        first = source.rfind("\n", 0, start) + 1
        last = source.find("\n", end)
        self.after = source[first:start] + (new or ("" if old == "!" else "/* left out */")) + source[end:last]

    def __str__(self):
        return "%s:%d\n    - %s\n    + %s" % (self.path, self.line, squeeze(self.before), squeeze(self.after))


def squeeze(text):
    return " ".join(text.split())


def tokens_of(source):
    """Kind, text, start and end of each token."""
    return [(m.lastgroup, m.group(), m.start(), m.end()) for m in TOKEN.finditer(source) if m.lastgroup != "skip"]


def is_binary(tokens, i):
    """Is the operator between two values? If not it is a sign, a pointer's star or an address."""
    kind, text = tokens[i - 1][:2]
    if kind == "word":
        declares = text in KEYWORDS or text.endswith("_t") or tokens[i - 2][1] in ("struct", "union", "enum", "const")
        return not declares and tokens[i + 1][1] != ")"
    return kind in ("number", "text") or text in (")", "]")


def closing(tokens, i):
    """The index of the parenthesis that closes the one at i."""
    depth = 0
    for k in range(i, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[k][1], 0)
        if depth == 0:
            return k
    return i


def sizes_of(tokens):
    """The tokens that say how much memory is wanted; nobody can tell that it is more than needed."""
    for i, token in enumerate(tokens[:-1]):
        if token[1] in ("malloc", "calloc", "realloc", "reallocarray", "array_reserve") and tokens[i + 1][1] == "(":
            yield from range(i, closing(tokens, i + 1))


def changed_number(text, grows):
    digits = text.rstrip("uUlL")
    try:
        value = int(digits, 8 if re.fullmatch("0[0-7]+", digits) else 0)
    except ValueError:
        return []
    values = [value - 1, value + 1] if grows else [value - 1]
    return [str(new) + text[len(digits):] for new in values if new >= 0]


def statement(tokens, i):
    """The index of the semicolon if a call or an assignment begins at i, else None."""
    first = tokens[i]
    if first[1] in KEYWORDS or first[0] not in ("word", "op") or first[1] in ("(", "{", "}", ";"):
        return None
    if first[0] == "word" and tokens[i + 1][0] == "word":  # a declaration
        return None
    if tokens[i + 1][1] == "*" and not is_binary(tokens, i + 1):
        return None
    depth, assigns = 0, False
    for k in range(i, len(tokens)):
        text = tokens[k][1]
        depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
        if depth < 0:
            return None
        if depth == 0 and text in ASSIGNS:
            assigns = True
        if depth == 0 and text == ";":
            return k if assigns or tokens[k - 1][1] == ")" else None
    return None


def edits_of(tokens):
    """Start, end and new text of each change."""
    parens, begins = 0, False
    sizes = set(sizes_of(tokens))
    conditions = set()  # where the parenthesis of an if, for or while is closed
    for i, (kind, text, start, end) in enumerate(tokens):
        if begins and parens == 0:
            last = statement(tokens, i)
            if last:
                yield start, tokens[last][3], ";"
        parens += (text == "(") - (text == ")")
        begins = text in (";", "{", "}", "else", "do") or i in conditions
        if text in ("if", "while", "for", "switch") and tokens[i + 1][1] == "(":
            last = closing(tokens, i + 1)
            conditions.add(last)
            if text in ("if", "while"):
                yield tokens[i + 1][3], tokens[last][2], None
        if kind == "number":
            is_error = tokens[i - 1][1] == "-" and not is_binary(tokens, i - 1)  # -2 is as good as -1
            for new in changed_number(text, i not in sizes and not is_error):
                yield start, end, new
        elif kind in ("op", "word") and text in SWAPS:
            if text not in ("+", "-", "*", "&") or is_binary(tokens, i):
                for new in SWAPS[text]:
                    yield start, end, new
        elif text == "!":
            yield start, end, ""


def mutants_of(path):
    with open(path, encoding="utf-8") as f:
        source = f.read()
    for start, end, new in edits_of(tokens_of(source)):
        yield Mutant(path, source, start, end, "!(%s)" % source[start:end] if new is None else new)
