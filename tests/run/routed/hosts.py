"""Hosts of a test network, all in this network namespace: what listens, and what was sent to the one that nobody may reach.

Prints `ready`; when stdin ends, the destinations of all packets to the forbidden addresses.
"""

import socket
import struct
import sys
import threading

SSH = [("198.51.100.11", 2222), ("198.51.100.12", 8080), ("2001:db8:1::11", 2222)]
SERVER = "198.51.100.12"
FORBIDDEN = [socket.inet_pton(socket.AF_INET, "198.51.100.13"), socket.inet_pton(socket.AF_INET6, "2001:db8:1::13")]
seen = []


def thread(work):
    threading.Thread(target=work, daemon=True).start()


def listen(host, port, talk):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family)

    def work():
        while True:
            client, _ = listener.accept()
            talk(client)
            client.close()

    thread(work)


def answer(host, port, reply):
    answers = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
    answers.bind((host, port))

    def work():
        while True:
            data, client = answers.recvfrom(65535)
            answers.sendto(reply(data), client)

    thread(work)


def whois(client):
    asked = client.makefile().readline().strip()
    client.sendall(f"domain: {asked}\r\n".encode())


def dns(query):
    """192.0.2.53 for whatever is asked."""
    question = query[12 : query.index(b"\0", 12) + 5]
    head = query[:2] + struct.pack("!5H", 0x8180, 1, 1, 0, 0)
    return head + question + struct.pack("!3HIH", 0xC00C, 1, 1, 60, 4) + socket.inet_aton("192.0.2.53")


def capture(packets):
    while True:
        frame = packets.recv(65535)
        kind = struct.unpack("!H", frame[12:14])[0]
        to = {0x0800: frame[30:34], 0x86DD: frame[38:54]}.get(kind)
        if to in FORBIDDEN:
            seen.append(to.hex())


packets = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
thread(lambda: capture(packets))
for place in SSH:
    listen(*place, lambda client: client.sendall(b"SSH-2.0-test_1.0\r\n"))
    answer(*place, lambda data: b"%d bytes" % len(data))
listen(SERVER, 43, whois)
answer(SERVER, 53, dns)
print("ready", flush=True)
sys.stdin.read()
print(seen, flush=True)
