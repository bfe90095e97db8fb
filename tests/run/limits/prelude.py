import ctypes, mmap, os, signal, socket, sys, threading, time


def take(size):
    """Holds memory, and gives it back as the caller does."""
    return bytearray(b"x") * size


def take_slowly(size):
    held = []
    for _ in range(size >> 20):
        held.append(take(1 << 20))
        time.sleep(0.0005)
    signal.pause()


def share(size):
    memory = mmap.mmap(-1, size)
    for at in range(0, size, 4096):
        memory[at] = 1
    signal.pause()


def share_unmapped(size, step=16 << 20):
    """Shared memory of which nobody has a page mapped."""
    memory = mmap.mmap(-1, size)
    for at in range(0, size, step):
        memory[at : at + step] = b"x" * step
        memory.madvise(mmap.MADV_DONTNEED, at, step)
        time.sleep(0.01)
    time.sleep(1)


def map_file(path, size):
    file = os.open(path, os.O_CREAT | os.O_RDWR)
    os.ftruncate(file, size)
    memory = mmap.mmap(file, size)
    for at in range(0, size, 4096):
        memory[at] = 1
    time.sleep(0.2)


def map_removed(path, size, count):
    """Files that are neither named nor open."""
    libc = ctypes.CDLL(None)
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    for _ in range(count):
        file = os.open(path, os.O_CREAT | os.O_RDWR)
        os.write(file, bytes(size))
        libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, file, 0)
        os.unlink(path)
        os.close(file)
        time.sleep(0.02)


def write(file, size):
    for _ in range(size >> 20):
        os.write(file, bytes(1 << 20))


def send_away(size, step=32 << 20):
    """Memory in files that lie in a socket, and are open nowhere else."""
    pair = socket.socketpair()
    for _ in range(0, size, step):
        file = os.memfd_create("m")
        write(file, step)
        socket.send_fds(pair[0], [b"x"], [file])
        os.close(file)
    return pair


def fill(folder, count):
    for number in range(count):
        with open(f"{folder}/{number}", "wb") as file:
            file.write(bytes(1 << 20))


def toss(here, there):
    """Moves a folder to and fro for as long as it lives."""
    os.mkdir(here)
    os.mkdir(f"{here}/below")
    while True:
        os.rename(here, there)
        os.rename(there, here)


def child(action):
    if os.fork() == 0:
        held = action()
        if held:
            signal.pause()
        os._exit(0)


def orphan(action):
    """In a session of its own, with no parent but the first process."""
    if os.fork() == 0:
        os.setsid()
        child(action)
        os._exit(0)
    os.wait()


def wait(count):
    for _ in range(count):
        os.wait()


def outlive(action):
    """The first thread ends, and the process goes on with another."""

    def go_on():
        time.sleep(0.1)
        action()
        time.sleep(3)

    threading.Thread(target=go_on).start()
    ctypes.CDLL(None).syscall(60, 0)


def hide():
    """PR_SET_DUMPABLE"""
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)


def bomb():
    while True:
        try:
            os.fork()
        except OSError:
            pass


def threads(count):
    for _ in range(count):
        try:
            threading.Thread(target=signal.pause, daemon=True).start()
        except RuntimeError:
            break


