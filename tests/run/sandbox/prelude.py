import ctypes, errno, fcntl, glob, mmap, os, resource, signal, socket, struct, sys, time

libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(4096)
first = os.getppid()


def system_call(number, *arguments):
    wide = [ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments]
    result = libc.syscall(ctypes.c_long(number), *wide)
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result


def route(kind, flags, body=bytes(16)):
    """Asks by netlink for routes, and raises what the kernel answers."""
    with socket.socket(16, socket.SOCK_RAW, 0) as asked:
        asked.settimeout(10)
        asked.send(struct.pack("IHHII", 16 + len(body), kind, flags, 1, 0) + body)
        answer = asked.recv(65536)
        if struct.unpack_from("H", answer, 4)[0] == 2 and struct.unpack_from("i", answer, 16)[0]:
            raise OSError(-struct.unpack_from("i", answer, 16)[0], "")


def attempt(action):
    """Prints what the attempt met: an error's name, or that it was done."""
    try:
        action()
    except OSError as error:
        print(errno.errorcode[error.errno])
    except MemoryError:
        print("MemoryError")
    else:
        print("done")


def write(path):
    with open(path, "r+" if os.path.exists(path) else "w"):
        pass


def assert_empty(text):
    if text:
        raise OSError(errno.ENOTEMPTY, "")


def unusual_mounts():
    """Mounts that are not read-only, nosuid or nodev, each with what it lacks."""
    for line in open("/proc/self/mountinfo"):
        fields = line.split()
        lacks = {"ro", "nosuid", "nodev"} - set(fields[5].split(","))
        if lacks:
            yield fields[4] + ":" + "+".join(sorted(lacks))


def open_descriptors():
    for number in range(1024):
        try:
            os.fstat(number)
            yield number
        except OSError:
            pass


def capabilities(capget):
    """The words of the effective, permitted and inheritable sets."""
    data = (ctypes.c_uint32 * 6)()
    system_call(capget, struct.pack("Ii", 0x20080522, 0), ctypes.byref(data))
    return set(data)


def bounding_set():
    return [capability for capability in range(64) if libc.prctl(23, capability, 0, 0, 0) == 1]


def fill(folder):
    for index in range(64):
        with open(f"{folder}/{index}", "wb") as file:
            file.write(bytes(1 << 19))


def make_files(folder):
    os.mkdir(folder)
    for index in range(100_000):
        os.close(os.open(f"{folder}/{index}", os.O_CREAT | os.O_WRONLY))


def fork_many():
    for _ in range(2_000):
        if os.fork() == 0:
            signal.pause()


def how_many(most, make):
    """How many of these can be had, up to a number."""
    made = 0
    while made < most and make() >= 0:
        made += 1
    return made


def fill_up(*call):
    for _ in range(2_000):
        system_call(*call)


def queue_signals():
    """Real-time signals that this process does not take."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [40])
    for _ in range(2_000):
        if libc.sigqueue(os.getpid(), 40, 0) < 0:
            raise OSError(ctypes.get_errno(), "")


def core_limit_after(change):
    """The limit after it was set to 0, with which a piped handler is started."""
    change(resource.RLIMIT_CORE, (0, 0))
    return resource.getrlimit(resource.RLIMIT_CORE)


def set_by_prlimit(number, limits):
    """At an address of which the low half is zero, too."""
    place = mmap.mmap(-1, 4096)
    place.write(struct.pack("QQ", *limits))
    libc.mmap.restype, libc.mmap.argtypes = ctypes.c_long, [ctypes.c_long] * 6
    address = libc.mmap(7 << 32, 4096, 3, 0x100022, -1, 0)
    ctypes.memmove(address, place[:16], 16)
    for pointer in (address, place[:16]):
        system_call(302, 0, number, pointer, 0)


def escape(marker):
    """Starts a process that is in another session, and whose parent is gone."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            os.set_inheritable(writing, False)
            os.execv("/usr/bin/sleep", [marker, "1000"])
        os._exit(0)
    os.close(writing)
    # The end of the pipe closes when the program has been executed.
    os.read(reading, 1)


def run_from_memory():
    program = os.memfd_create("program")
    with open("/usr/bin/true", "rb") as source:
        os.write(program, source.read())
    child = os.fork()
    if child == 0:
        os.execve(program, ["true"], {})
    if os.waitpid(child, 0)[1] != 0:
        raise OSError(errno.ENOEXEC, "")


def tell(path):
    """Sends a datagram to a socket that has a path, over one that was made with its partner."""
    socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"x", path)


def call_i386():
    """getpid by the i386 entry."""
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
