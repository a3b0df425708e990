# SPDX-License-Identifier: MIT
"""Asks a server as fast as it answers, and compares each answer: asks.py PORT|SOCKET.

/N has to be the line N, 5,000 times. Says "ready" after the first answers, and at SIGTERM how many there were, and how many were wrong.
"""

import http.client
import signal
import socket
import sys
import threading

CLIENTS, LINES = 4, 5000
ends = threading.Event()
counts = {"answers": 0, "wrong": 0}
lock = threading.Lock()


class Connection(http.client.HTTPConnection):
    def __init__(self, address):
        super().__init__("localhost", timeout=600)
        self.address = address

    def connect(self):
        if self.address.isdigit():
            self.sock = socket.create_connection(("localhost", int(self.address)), 600)
        else:
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.connect(self.address)


def ask(connection, number):
    connection.request("GET", f"/{number}")
    answer = connection.getresponse()
    return answer.status == 200 and answer.read() == f"{number}\n".encode() * LINES


def client(address, number):
    connection = Connection(address)
    while not ends.is_set():
        try:
            is_right = ask(connection, number % 10)
        except (OSError, http.client.HTTPException) as why:
            print(f"client {number}: {why!r}", flush=True)
            connection = Connection(address)
            is_right = False
        with lock:
            counts["answers"] += 1
            counts["wrong"] += not is_right
            if counts["answers"] == CLIENTS:
                print("ready", flush=True)
        number += 1
        if number % 100 == 0:  # servers close a connection after so many questions, or not
            connection.close()


def main():
    signal.signal(signal.SIGTERM, lambda *_: ends.set())
    threads = [threading.Thread(target=client, args=(sys.argv[1], n)) for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    ends.wait()
    for thread in threads:
        thread.join()
    print(f"{counts['answers']} answers, {counts['wrong']} wrong")


main()
