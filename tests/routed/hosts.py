"""Hosts of a test network, all in this network namespace: what listens, and what was sent to the one that nobody may reach.

Prints `ready`; when stdin ends, the destinations of all packets to the forbidden addresses.
"""

import socket
import struct
import sys
import threading

HOSTS = [("198.51.100.11", 2222), ("198.51.100.12", 8080), ("2001:db8:1::11", 2222)]
FORBIDDEN = [socket.inet_pton(socket.AF_INET, "198.51.100.13"), socket.inet_pton(socket.AF_INET6, "2001:db8:1::13")]
seen = []


def serve(host, port):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family)
    answers = socket.socket(family, socket.SOCK_DGRAM)
    answers.bind((host, port))

    def tcp():
        while True:
            client, _ = listener.accept()
            client.sendall(b"SSH-2.0-test_1.0\r\n")
            client.close()

    def udp():
        while True:
            data, client = answers.recvfrom(65535)
            answers.sendto(b"%d bytes" % len(data), client)

    for work in (tcp, udp):
        threading.Thread(target=work, daemon=True).start()


def capture(packets):
    while True:
        frame = packets.recv(65535)
        kind = struct.unpack("!H", frame[12:14])[0]
        to = {0x0800: frame[30:34], 0x86DD: frame[38:54]}.get(kind)
        if to in FORBIDDEN:
            seen.append(to.hex())


packets = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
threading.Thread(target=capture, args=(packets,), daemon=True).start()
for place in HOSTS:
    serve(*place)
print("ready", flush=True)
sys.stdin.read()
print(seen, flush=True)
