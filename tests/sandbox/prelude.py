import ctypes, errno, fcntl, mmap, os, signal, socket, sys

libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(4096)


def system_call(number, *arguments):
    wide = [ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments]
    result = libc.syscall(ctypes.c_long(number), *wide)
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result


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


def unusual_mounts():
    """Mounts that are not read-only, nosuid or nodev, each with what it lacks."""
    for line in open("/proc/self/mountinfo"):
        fields = line.split()
        lacks = {"ro", "nosuid", "nodev"} - set(fields[5].split(","))
        if lacks:
            yield fields[4] + ":" + "+".join(sorted(lacks))


def fill(folder):
    for index in range(64):
        with open(f"{folder}/{index}", "wb") as file:
            file.write(bytes(1 << 19))


def make_files(folder):
    os.mkdir(folder)
    for index in range(100_000):
        os.close(os.open(f"{folder}/{index}", os.O_CREAT | os.O_WRONLY))


def fork_many():
    for _ in range(1_000):
        if os.fork() == 0:
            signal.pause()


def run_from_memory():
    program = os.memfd_create("program")
    with open("/usr/bin/true", "rb") as source:
        os.write(program, source.read())
    child = os.fork()
    if child == 0:
        os.execve(program, ["true"], {})
    if os.waitpid(child, 0)[1] != 0:
        raise OSError(errno.ENOEXEC, "")


def call_i386():
    """getpid by the i386 entry."""
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
