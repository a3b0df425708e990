# SPDX-License-Identifier: MIT
"""outcomes.py FILE ARGUMENT...: python3.11 -m test ARGUMENT..., with each test's outcome in FILE.

What -m test -v prints of a test is mixed with what the test and its children print, and its XML
comes at the end, if the end comes. Here a line is written as soon as it is known: "start TEST",
then "ok TEST" or the like. A test of which only the start is there did not end.
"""

import os
import sys


def watch(path):
    from test.support import testresult

    pid = os.getpid()

    def say(what, test):
        if os.getpid() != pid:  # a child that came back through the test's end is not a test
            return
        name = test.id() if hasattr(test, "id") else str(test)
        line = "%s\t%s\n" % (what, " ".join(name.split()))
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        os.write(file, line.encode("utf-8", "backslashreplace"))
        os.close(file)

    class Result(testresult.RegressionTestResult):
        def startTest(self, test):
            say("start", test)
            super().startTest(test)

        def addSuccess(self, test):
            say("ok", test)
            super().addSuccess(test)

        def addSkip(self, test, reason):
            say("skipped", test)
            super().addSkip(test, reason)

        def addFailure(self, test, err):
            say("FAIL", test)
            super().addFailure(test, err)

        def addError(self, test, err):
            say("ERROR", test)
            super().addError(test, err)

        def addExpectedFailure(self, test, err):
            say("xfail", test)
            super().addExpectedFailure(test, err)

        def addUnexpectedSuccess(self, test):
            say("XPASS", test)
            super().addUnexpectedSuccess(test)

        def addSubTest(self, test, subtest, err):
            if err is not None:
                say("FAIL" if issubclass(err[0], test.failureException) else "ERROR", test)
            super().addSubTest(test, subtest, err)

    testresult.RegressionTestResult = Result


if __name__ == "__main__":
    watch(sys.argv.pop(1))
    sys.path[0] = os.getcwd()  # as -m has it
    from test.libregrtest import main

    main()
