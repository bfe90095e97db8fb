"""A tool that treats its proxy as badly as it can, and says what it met: a line for each attempt."""

import socket
import struct
import sys

PORT = int(sys.argv[1])
PROXY = ("127.0.0.1", 3128)


def ask(message):
    with socket.create_connection(PROXY, timeout=20) as connection:
        connection.sendall(message)
        answer = b""
        try:
            while chunk := connection.recv(4096):
                answer += chunk
        except OSError:
            pass
        return answer


def status(answer):
    return answer.split(b"\r\n")[0].decode("ascii", "replace")


def met(name, attempt):
    try:
        outcome = attempt()
    except OSError as error:
        outcome = error.strerror or type(error).__name__
    print(f"{name}: {outcome}", flush=True)


def connect(host, port=PORT):
    return lambda: status(ask(f"CONNECT {host}:{port} HTTP/1.1\r\n\r\n".encode()))


def socks(host, port=PORT):
    name = host.encode("latin-1")
    message = b"\5\1\0\5\1\0\3" + bytes([len(name)]) + name + struct.pack(">H", port)
    return lambda: "SOCKS " + str(ask(message)[3])


def direct(kind, address):
    def attempt():
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        with socket.socket(family, kind) as connection:
            connection.settimeout(20)
            connection.connect(address)
            connection.send(b"x")
            return "connected"

    return attempt


met("direct", direct(socket.SOCK_STREAM, ("127.0.0.1", PORT)))
met("direct six", direct(socket.SOCK_STREAM, ("::1", PORT)))
met("direct public", direct(socket.SOCK_STREAM, ("192.0.2.1", 443)))
met("udp public", direct(socket.SOCK_DGRAM, ("192.0.2.1", 53)))
met("bind", lambda: socket.socket().bind(("127.0.0.1", 8080)))
for host in ["localhost", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "127.1", "0x7f.1", "2130706433", "other.invalid"]:
    met(host, connect(host))
    met(host + " by socks", socks(host.strip("[]")))
met("own port", connect("127.0.0.1", 3128))
met("another port", connect("127.0.0.1", 22))
met("newline", lambda: status(ask(b"CONNECT a\r\nHost: b:80 HTTP/1.1\r\n\r\n")))
met("control", socks("a\n## Summary\x1b[31m"))
met("smuggled", lambda: status(ask(f"GET http://127.0.0.1:{PORT}/ HTTP/1.1\r\nHost: other.invalid\r\n\r\n".encode())))
met("rubbish", lambda: len(ask(b"\0" * 5000)))
met("long", lambda: status(ask(b"A" * 20000)))
held = []
for _ in range(1000):
    connection = socket.socket()
    connection.setblocking(False)
    connection.connect_ex(PROXY)
    held.append(connection)
print(f"held: {len(held)}")
