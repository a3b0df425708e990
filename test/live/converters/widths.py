# SPDX-License-Identifier: MIT
# widths.py CPCONV CPPROF: shows recordings on terminals of several widths, which this program plays.
import fcntl, os, pty, re, struct, subprocess, sys, termios, unicodedata

CPCONV, CPPROF = sys.argv[1:3]
WIDTHS = (40, 60, 80, 200)
WIDEST = 400
WORKER = 'a_worker_that_runs_in_a_thread_of_its_own'
# What is for other programs has lines of any length.
FORMATS = {'folded', 'dot', 'html', 'callgrind', 'firefox', 'speedscope', 'pprof', 'parquet'}
OF_FUNCTION = {'source', 'asm'}
# Figures that depend on the width: how many functions of a path are not named, and where the bars of a timeline end. And an
# address, which code without a name has as one, cut to three columns.
OTHERS = re.compile(r'\d+ (?:more|functions?)\b|\bof \d+\)|not shown.*|(?:next to nothing|\d+ % of it):.*|(?<!\S)0\.\.(?!\S)')
FIGURE = re.compile(r'(?<!\S)[+-]?\d[\d.,]*(?!\S)')


def shown(words, columns, typed='', may_refuse=False):
    """What a terminal of so many columns shows, without colours; None: the view cannot show that."""
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 2000, columns, 0, 0))
        os.dup2(os.open('errors', os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
        os.execve(words[0], words, dict(os.environ, TERM='dumb', LC_ALL='C.UTF-8', PAGER='cat'))
    data = b''
    if typed:
        os.write(terminal, (typed + '\nquit\n').encode())
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        data += piece
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) in (1, 2) and may_refuse:
        return None
    if status:
        sys.exit('%s: %#x: %s' % (' '.join(words), status, open('errors').read()))
    return re.sub(r'\x1b\[[0-9;]*m', '', data.decode().replace('\r\n', '\n'))


def fits(what, text, columns):
    for line in text.split('\n'):
        if sum(not unicodedata.combining(c) for c in line) > columns:
            sys.exit('%s, %d columns: %d in %r' % (what, columns, len(line), line))


def figures(text):
    return set(FIGURE.findall(OTHERS.sub('', ' '.join(text.split()).replace('not shown', '\nnot shown'))))


def headings(text):
    """The words above the first table, which may be in two lines."""
    above = re.split(r'^-+$', text, maxsplit=1, flags=re.M)[0]
    return set(above[above.rfind('\n\n') + 2:].replace('%', '').split()) if '\n\n' in above else set()


def is_right(what, text, widest, columns):
    wrong = figures(text) - figures(widest)
    if wrong:
        sys.exit('%s, %d columns: figures that nobody has: %s' % (what, columns, sorted(wrong)))
    # Of two runs that are compared a narrow table has the unit above its columns, not in their headings. Above the heading of
    # --asm stands the path of the program, and --info has lists.
    wrong = headings(text) - headings(widest)
    if wrong and '--base' not in what and not what.startswith(('--asm', '--info')):
        sys.exit('%s, %d columns: no headings: %s' % (what, columns, sorted(wrong)))


def views_of_help():
    text = subprocess.run([CPCONV, '--help=all'], capture_output=True, text=True, check=True).stdout
    return re.findall(r'^  --([a-z-]+)', text[:text.index('\nOptions:')], re.M)


def commands():
    for view in views_of_help():
        if view in FORMATS:
            continue
        of = [WORKER] if view in OF_FUNCTION else []
        for words in (['new.cps'], ['python.cps'], ['tree'], ['--resource', 'cpu,alloc,lock', 'new.cps'],
                      ['--resource', 'real', '--focus', WORKER, '--from', '0.1', 'new.cps'],
                      ['--base', 'old.cps', '--resource', 'cpu', 'new.cps'],
                      ['--base', 'old.cps', '--resource', 'cpu,alloc', 'new.cps']):
            yield ['--' + view, *of, *words]
    yield ['--callpath', '--up', '--root', WORKER, 'new.cps']
    yield ['--callpath', '--root', '*', 'new.cps']
    yield ['--source', 'transform_a_document (of_python.py)', 'python.cps']
    yield ['--help']
    yield ['--help=all']


def refused(words, columns):
    """What a command says on standard error, on a terminal of so many columns, or if these are 0 in a pipe."""
    if not columns:
        return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True).stderr.decode()
    terminal, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=other,
                   env=dict(os.environ, TERM='dumb'))
    os.write(other, b'.') # there is something to read
    text = b''
    while not text.endswith(b'.'):
        text += os.read(terminal, 65536)
    os.close(other)
    os.close(terminal)
    return re.sub(r'\r[^\n]*\x1b\[K', '', text[:-1].decode().replace('\r\n', '\n'))


def refusals_fit():
    """What views refuse, or warn of."""
    folded = 0
    for view in views_of_help():
        for option in (['--base', 'old.cps'], ['--root', '*'], ['--json'], ['--percent', 'parent'], ['--up'],
                       ['--self', 'program'], ['--focus', 'no_function_of_that_name'], ['--resource', 'cpu,real'],
                       ['--by', 'thread'], ['--from', '99'], ['--depth', '3'], ['--top', '3']):
            words = [CPCONV, '--' + view, *([WORKER] if view in OF_FUNCTION else []), *option, 'new.cps']
            whole = refused(words, 0)
            for columns in (60, 80):
                text = refused(words, columns)
                fits('the refusal of ' + ' '.join(words[1:]), text, columns)
                if text.split() != whole.split():
                    sys.exit('%s: %r in a pipe, %r on a terminal' % (words[1:], whole, text))
                folded += text.count('\n') > whole.count('\n')
    return folded


count = 0
tried = set()
for words in commands():
    what = ' '.join(words)
    widest = shown([CPCONV, *words], WIDEST, may_refuse=True)
    if widest is None:
        continue
    tried.add(words[0][2:])
    for columns in WIDTHS:
        text = shown([CPCONV, *words], columns)
        fits(what, text, columns)
        if words[0] not in ('--timeline', '--help', '--help=all'):
            is_right(what, text, widest, columns)
        count += 1
missing = set(views_of_help()) - FORMATS - tried - {'average-time'}  # which needs calls that were counted
if missing:
    sys.exit('not tried: %s' % missing)
for command in ('help', 'help flat', 'set', 'resources', 'callers a_worker', 'callees a_worker'):
    for columns in WIDTHS:
        text = shown([CPPROF, 'new.cps'], columns, command)
        fits('cpprof: ' + command, re.sub(r'cpprof> .*', '', text), columns)
        count += 1
folded = refusals_fit()
if not folded:
    sys.exit('no refusal was longer than a line')
print('%d texts, %d refusals of several lines' % (count, folded))
