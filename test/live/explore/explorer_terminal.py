# SPDX-License-Identifier: MIT
# explorer_terminal.py CPPROF CPCONV TEST...: somebody types, in a terminal that this program plays.
import fcntl, os, pty, re, select, signal, stat, struct, sys, termios, time

CPPROF, CPCONV = sys.argv[1:3]
UP, TAB, CTRL_C, CTRL_D, ENTER = '\x1b[A', '\t', '\x03', '\x04', '\r'
PROMPT = 'cpprof> '
LIMIT = 300  # seconds, for the slowest machine with the most to do


class Session:
    def __init__(self, *words, rows=24, columns=80, **settings):
        environment = dict(os.environ, TERM='xterm', LC_ALL='C.UTF-8', HOME=os.getcwd(), PAGER='cat')
        environment.pop('XDG_STATE_HOME', None)
        environment.update(settings)
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
            os.execve(words[0], words, environment)
        self.text = ''  # what was shown since the last expectation

    def read(self, seconds):
        ready, _, _ = select.select([self.terminal], [], [], seconds)
        try:
            data = os.read(self.terminal, 65536) if ready else None
        except OSError:
            data = b''
        if data:
            self.text += re.sub(r'\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]', '', data.decode('utf-8', 'replace'))
        return data

    def expect(self, pattern, keys=''):
        """Type the keys; what is shown up to the pattern."""
        self.type(keys)
        end = time.monotonic() + LIMIT
        while True:
            found = re.search(pattern, self.text, re.S)
            if found:
                shown, self.text = self.text[:found.end()], self.text[found.end():]
                return shown
            if time.monotonic() > end or self.read(1) == b'':
                sys.exit('after %r: %r never comes, but %r' % (keys, pattern, self.text[-2000:]))

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def run(self, line):
        """A whole command: what it shows."""
        return self.expect('\n' + re.escape(PROMPT), line + ENTER)

    def resize(self, rows, columns):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))

    def end(self, keys=CTRL_D, status=0):
        self.type(keys)
        end = time.monotonic() + LIMIT
        while self.read(1) != b'':
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                sys.exit('after %r it does not end; shown: %r' % (keys, self.text[-2000:]))
        _, result = os.waitpid(self.pid, 0)
        os.close(self.terminal)
        check(os.WIFEXITED(result) and os.WEXITSTATUS(result) == status, 'ended with %#x' % result)


def start(*words, **settings):
    session = Session(CPPROF, *words, **settings)
    session.expect(re.escape(PROMPT))
    return session


def check(condition, what):
    if not condition:
        sys.exit('not so: %s' % what)


def completion():
    s = start('names.folded')
    check('Flat Profile' in s.run('fl' + TAB), 'a command is completed')
    check('Upward' in s.run('up oper' + TAB), 'a name with blanks is completed')
    check('Upward' in s.run('up "oper' + TAB), 'and within quotes')
    check('Upward' in s.run('up operator n' + TAB), 'and behind its first blank')
    check('(main "say \\"hi\\"")' in s.run('up "say' + TAB), 'and one with quotes in it')
    check('Upward' in s.run('up été' + TAB), 'and one that is not ASCII')
    s.run('unit sa' + TAB)
    check('unit         samples' in s.run('unit'), 'a value is completed')
    shown = s.expect('q.*' + re.escape(PROMPT + 'up q'), 'up q' + TAB + TAB)
    check('qsort' in shown and 'quick' in shown, 'several names are listed')
    check('Upward' in s.run('s' + TAB), 'the line goes on where it was')
    check('weight' in s.run('callers qs' + TAB + '--th' + TAB + '0'), 'options are completed')
    open('a file', 'w').close()
    s.run('flat > "a f' + TAB)
    check(os.path.getsize('a file') > 0, 'a file is completed')
    s.end()


def numbers():
    s = start('names.folded')
    shown = s.run('flat')
    rows = re.findall(r'^ +([0-9]+) +[0-9.]+ +=? *[0-9.]+ .*  (\S.*)$', shown.replace('\r', ''), re.M)
    check([r[0] for r in rows] == [str(i + 1) for i in range(len(rows))] and len(rows) > 2,
          'rows have numbers: %r' % shown)
    check('function: ' + rows[1][1] in s.run('callers 2'), 'and mean functions: %r' % rows)
    # Seen to fail: the only row of a table was 1, which then meant another function.
    shown = s.run('flat 1').replace('\r', '')
    check(re.search(r'^ +[0-9.]+ +=? *[0-9.]+ .*  \S.*$', shown, re.M) and not re.search(r'^ +1 +[0-9]+\.', shown, re.M),
          'one row has no number: %r' % shown)
    check('function: ' + rows[1][1] in s.run('callers 2'), 'and leaves those that there were')
    s.end()


def history():
    if os.path.exists('.cpprof_history'):
        os.remove('.cpprof_history')
    s = start('names.folded')
    s.run('callers qsort')
    s.run('nonsense')
    check('function: qsort' in s.run(UP + UP), 'the line before the last')
    s.end()
    check(stat.S_IMODE(os.stat('.cpprof_history').st_mode) == 0o600, 'the history is private')
    s = start('names.folded')
    check('function: qsort' in s.run(UP), 'the last line of the session before')
    s.end()
    s = start('names.folded', XDG_STATE_HOME=os.getcwd() + '/state')
    s.run('flat')
    s.end()
    check(os.path.exists('state/cpprof/history'), 'XDG_STATE_HOME')
    start('names.folded', HOME='/nowhere').end()
    start('names.folded', HOME='').end()


def interrupts():
    s = start('names.folded')
    s.type('callers nothing')
    s.expect(re.escape('^C') + r'\s+' + re.escape(PROMPT), CTRL_C)
    check('Flat Profile' in s.run('flat'), 'a line that was given up is not run')
    s.end()
    s = start('many.folded', PAGER='')
    s.run('pager off')
    s.expect('f1;f2;f3', 'folded' + ENTER)
    begin = time.monotonic()
    shown = s.expect(re.escape(PROMPT), CTRL_C)
    check(len(shown) < 3000000, 'output stops when it is interrupted (%d bytes)' % len(shown))
    check('Body' in s.run('bodies 2'), 'the next command runs')
    # Whether it comes while stacks are added up or later, the command ends and the next one is right.
    def flat():
        shown = s.run('flat 3 --focus f1')
        return shown[shown.find('Flat Profile'):]
    want = flat()
    for i in range(5):
        s.type('contexts --focus f%d >/dev/null' % i + ENTER)
        time.sleep(0.02 * i)
        s.expect(re.escape(PROMPT), CTRL_C)
        s.expect('no command "sync%d".*' % i + re.escape(PROMPT), 'sync%d' % i + ENTER)
        check(flat() == want and 'f1' in want, 'the next one is right: %r %r' % (s.text, want))
    s.end()
    # What computes for long ends, says so, leaves no file, and the next command is right.
    # Seen to fail: without stop_check() in call_costs.c and view_callgrind.c, which went on to their ends.
    with open('large.folded', 'w') as f:
        stack = 1
        for i in range(300000):
            frames = []
            for k in range(12):
                stack = (stack * 1103515245 + 12345) % 2**31
                frames.append('f%d' % (stack // 65536 % 300))
            f.write(';'.join(frames) + ' 1\n')
    s = start('large.folded')
    want = flat()
    for command in ('callgrind', 'parquet', 'contexts --tsv'):
        for wait in (0.3, 0.1, 0.03, 0.01, 0.003):  # the shorter ones if the machine is quicker
            s.type(command + (' >' if ' ' in command else ' ') + 'large.out' + ENTER)
            time.sleep(wait)
            s.type(CTRL_C)
            shown = s.expect('no command "sync".*' + re.escape(PROMPT), 'sync' + ENTER)
            if 'cpprof: interrupted' in shown:
                break
            os.remove('large.out')
        check('cpprof: interrupted' in shown, command + ' is interrupted: %r' % shown)
        check(not os.path.exists('large.out'), command + ' leaves no file')
        check(flat() == want and 'f1' in want, 'the next one is right: %r %r' % (s.text, want))
    s.end()


def stopped():
    s = start('names.folded')
    s.expect('fl', 'fl')
    os.kill(s.pid, signal.SIGSTOP)
    modes = termios.tcgetattr(s.terminal)
    modes[3] |= termios.ICANON | termios.ECHO  # as a shell does
    termios.tcsetattr(s.terminal, termios.TCSANOW, modes)
    os.kill(s.pid, signal.SIGCONT)
    s.expect(re.escape(PROMPT + 'fl'))
    s.expect('at ', TAB)  # a key is read when it is pressed, again
    check('Flat Profile' in s.run(''), 'the line goes on after a stop')
    s.end()


def ends():
    s = start('names.folded')
    check('no function "x"' in s.run('up x'), 'errors are shown')
    s.end('quit' + ENTER)
    s = start('names.folded')
    s.end('exit' + ENTER)
    s = Session(CPPROF, 'nowhere.cps')
    s.expect('cpprof: nowhere.cps: No such file or directory')
    s.end('', 1)


def windows():
    s = start('wide.folded', columns=60)
    lines = [l for l in s.run('flat').splitlines() if 'long_name' in l]
    check(lines and all(len(l) <= 60 and l.endswith('..') for l in lines), 'names fit: %r' % lines)
    s.type('bod')
    s.expect('bod')
    s.resize(24, 100)
    time.sleep(0.2)
    check('Body' in s.run('ies'), 'a line that is being typed outlives a new size')
    check(any(len(l) > 60 for l in s.run('flat').splitlines()), 'the new width counts')
    s.end()
    s = start('many.folded', columns=20)
    shown = s.expect('more.*' + re.escape(PROMPT + 'up '), 'up ' + TAB + TAB)
    check(all(len(l) <= 20 for l in shown.splitlines() if l.startswith('f')), 'the list is narrow')
    s.expect(re.escape('^C') + r'\s+' + re.escape(PROMPT), CTRL_C)
    s.end()
    s = start('names.folded', TERM='dumb')
    check('Flat' in s.run('flat'), 'a dumb terminal')
    s.end()


def pager():
    s = start('some.folded', rows=18, PAGER='cat >paged; echo paged')
    s.run('flat 3')
    check(not os.path.exists('paged'), 'what fits the screen is just shown')
    check('paged' in s.run('functions --threshold 0'), 'long output goes to the pager')
    check('Function Profile' in open('paged').read(), 'all of it')
    os.remove('paged')
    s.run('pager off')
    s.run('flat')
    check(not os.path.exists('paged'), 'pager off')
    s.run('pager "cat >again"')
    s.run('flat')
    check(os.path.getsize('again') > 0, 'another pager')
    check('cat >again' in s.run('pager'), 'the pager is shown')
    s.end()
    s = start('some.folded', rows=10, PAGER='head -n 1')
    check('Flat' in s.run('flat'), 'a pager that leaves early')
    check('Flat' in s.run('flat 1'), 'is no error')
    s.end()


def converter():
    # Seen to fail: no pager; an interrupt that ends cpconv and leaves its pager behind.
    s = Session(CPCONV, '--callgraph', 'some.folded', PAGER='cat >paged; echo paged')
    s.expect('paged')
    s.end('')
    check('Call Graph Profile' in open('paged').read(), 'a long report of cpconv goes to the pager')
    s = Session(CPCONV, '--flat', 'some.folded', PAGER='echo paged')
    check('paged' not in s.expect('more functions'), 'what fits the screen is just shown')
    s.end('')
    waits = 'trap "echo interrupted; exit" INT; echo waits; while :; do sleep 0.1; done'
    s = Session('/bin/sh', '-c', 'trap : INT; "$0" --callgraph some.folded; echo ended: $?', CPCONV, PAGER=waits)
    s.expect('waits')
    shown = s.expect(r'ended: \d+', CTRL_C)
    check('interrupted' in shown and shown.endswith(': 0'), 'an interrupt is for the pager: %r' % shown)
    s.end('')


def standard_input():
    s = Session('/bin/sh', '-c', 'cat names.folded | "%s" -' % CPPROF)
    s.expect(re.escape(PROMPT))
    check('qsort' in s.run('flat'), 'a profile on standard input, commands from the terminal')
    s.end()


def follow():
    # Seen to fail: one picture; going on when the program is over; messages of each reading on the screen.
    s = Session('/bin/sh', '-c', 'LD_PRELOAD="$0" CPSAMPLE_OUTPUT=live.cps "$1" 2500 >spun & '
                'while [ ! -s live.cps ]; do sleep 0.1; done; "$2" --follow live.cps; echo over; wait',
                os.environ['LIBRARY'], os.environ['SPIN'], CPCONV)
    shown = s.expect('over')
    check(shown.count('Flat Profile') >= 2, 'several pictures: %r' % shown)
    check(shown.count('in progress') == 1, 'one message: %r' % shown)
    s.end('')
    s = Session('/bin/sh', '-c', '"$0" --follow names.folded | cat', CPCONV)
    s.expect('--follow shows a table on a terminal')
    s.end('')


def progress():
    s = Session('/bin/sh', '-c', '{ sleep 2.5; cat names.folded; } | "%s" -' % CPPROF)
    s.expect('reading: 0 MB')
    shown = s.expect(re.escape(PROMPT))
    check('\r' + ' ' * 78 + '\r' in shown, 'the line is taken away')
    s.end()
    os.mkfifo('fifo')
    slowly = '{ sleep 2; cat wide.folded; } >fifo & '
    s = Session('/bin/sh', '-c', slowly + '"%s" --flat names.folded fifo >flat' % CPCONV, columns=30)
    s.expect(r'\rreading file 2 of 2: 100 % {3}')
    s.end('')
    check(s.text == '\r' + ' ' * 29 + '\r', 'a narrow line is taken away: %r' % s.text)
    check('qsort' in open('flat').read(), 'and cpconv has done its work')
    s = Session('/bin/sh', '-c', slowly + '"%s" --flat names.folded fifo >flat 2>errors' % CPCONV)
    s.end('')
    check(os.path.getsize('errors') == 0, 'there is no line but on a terminal')


for test in sys.argv[3:]:
    globals()[test]()
