# SPDX-License-Identifier: MIT
"""Asks a server as fast as it answers, and compares each answer: asks.py [--redis] PORT|SOCKET.

/N has to be the line N, 5,000 times; redis is given that for each key, and asked for it. Says "ready" after the first answers, and at SIGTERM how many there were, and how many were wrong.
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


def text_of(number):
    return f"{number}\n".encode() * LINES


def connected(address):
    if address.isdigit():
        return socket.create_connection(("localhost", int(address)), 600)
    unix = socket.socket(socket.AF_UNIX)
    unix.settimeout(600)
    unix.connect(address)
    return unix


class Http(http.client.HTTPConnection):
    def __init__(self, address):
        super().__init__("localhost", timeout=600)
        self.address = address

    def connect(self):
        self.sock = connected(self.address)

    def ask(self, number):
        self.request("GET", f"/{number}")
        answer = self.getresponse()
        return answer.status == 200 and answer.read() == text_of(number)


class Redis:
    def __init__(self, address):
        self.sock = connected(address)
        self.answers = self.sock.makefile("rb")

    def ask(self, number):
        text = text_of(number)
        size = b"$%d\r\n" % len(text)
        key = b"$1\r\n%d\r\n" % number
        self.sock.sendall(b"*3\r\n$3\r\nSET\r\n" + key + size + text + b"\r\n*2\r\n$3\r\nGET\r\n" + key)
        right = b"+OK\r\n" + size + text + b"\r\n"
        return self.answers.read(len(right)) == right

    def close(self):
        self.answers.close()
        self.sock.close()


def client(kind, address, number):
    connection = kind(address)
    while not ends.is_set():
        try:
            is_right = connection.ask(number % 10)
        except (OSError, http.client.HTTPException) as why:
            print(f"client {number}: {why!r}", flush=True)
            connection = kind(address)
            is_right = False
        with lock:
            counts["answers"] += 1
            counts["wrong"] += not is_right
            if counts["answers"] == CLIENTS:
                print("ready", flush=True)
        number += 1
        if number % 100 == 0:  # servers close a connection after so many questions, or not
            connection.close()
            connection = kind(address)


def main():
    signal.signal(signal.SIGTERM, lambda *_: ends.set())
    kind = Redis if sys.argv[1] == "--redis" else Http
    threads = [threading.Thread(target=client, args=(kind, sys.argv[-1], n)) for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    ends.wait()
    for thread in threads:
        thread.join()
    print(f"{counts['answers']} answers, {counts['wrong']} wrong")


main()
