"""What a tool with a route tries besides: each attempt with what came of it."""

import ctypes
import os
import socket


def attempt(name, work):
    try:
        print(f"{name}: {work()}")
    except OSError as error:
        print(f"{name}: {error.strerror or error}")


def tcp(host, port, family=socket.AF_INET):
    with socket.socket(family, socket.SOCK_STREAM) as client:
        client.settimeout(5)
        client.connect((host, port))
        return client.recv(100).decode().strip()


def udp(host, port, data=b"x", family=socket.AF_INET):
    with socket.socket(family, socket.SOCK_DGRAM) as client:
        client.settimeout(5)
        client.connect((host, port))
        client.send(data)
        return client.recv(100).decode()


def ping(host):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP) as client:
        client.settimeout(5)
        client.connect((host, 0))
        client.send(b"\x08\0\0\0\0\0\0\x01")
        return client.recv(100)[0]


def raw(family, kind, protocol):
    socket.socket(family, kind, protocol).close()
    return "made"


INET6 = socket.AF_INET6
attempt("listed", lambda: tcp("198.51.100.11", 2222))
attempt("listed by udp", lambda: udp("198.51.100.11", 2222))
attempt("fragments", lambda: udp("198.51.100.11", 2222, b"x" * 20000))
attempt("listed by name", lambda: tcp("localhost", 1))
attempt("another port", lambda: tcp("198.51.100.11", 8080))
attempt("another host", lambda: tcp("198.51.100.13", 2222))
attempt("another host by udp", lambda: udp("198.51.100.13", 53))
attempt("another host by six", lambda: tcp("2001:db8:1::13", 2222, INET6))
attempt("another host by ping", lambda: ping("198.51.100.13"))
attempt("gateway", lambda: tcp("198.51.100.1", 22))
attempt("resolver", lambda: udp("9.9.9.9", 53))
attempt("raw", lambda: raw(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW))
attempt("packet", lambda: raw(socket.AF_PACKET, socket.SOCK_DGRAM, 0))
attempt("netfilter", lambda: raw(socket.AF_NETLINK, socket.SOCK_RAW, 12))
attempt("routes", lambda: raw(socket.AF_NETLINK, socket.SOCK_RAW, 0))
library = ctypes.CDLL(None, use_errno=True)
attempt("namespace", lambda: library.unshare(0x40000000) and os.strerror(ctypes.get_errno()))
