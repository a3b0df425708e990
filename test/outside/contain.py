# SPDX-License-Identifier: MIT
"""contain.py SECONDS COMMAND...: run a command, and end whatever it leaves behind, daemons too.

The exit status is the command's, 128 and the number of the signal that ended it, or 124 if it was
still running after that many seconds. Daemons become children of this process, which is their
subreaper (prctl(2)), so that they are found by their parents.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36


def descendants():
    """Ids of all processes below this one."""
    children = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name) as stat:
                parent = int(stat.read().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(name))
    found = [os.getpid()]
    for pid in found:
        found += children.get(pid, [])
    return found[1:]


def end_all():
    """Kill until nothing is left, since a process may fork meanwhile."""
    while left := descendants():
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
        time.sleep(0.01)


def main():
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(130))
    try:
        command = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            status = command.wait(float(sys.argv[1]))
        except subprocess.TimeoutExpired:
            return 124
        return status if status >= 0 else 128 - status
    finally:
        end_all()


sys.exit(main())
