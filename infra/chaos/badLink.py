"""The only way into a network namespace, with the delay and the loss of a bad network.

Two TUN devices with this program between them: one is on the machine, the other one in the namespace. Every packet waits, and some
are lost, so TCP behaves as it does on such a network. It does what `tc netem` does, which many kernels lack.

usage: badLink.py <namespace> <device> <address here> <address there> <seed>
Each line of the input is "<delay one way, ms> <loss, percent>"; a loss of 100 cuts the link. Ends, and removes the namespace, when
the input ends.
"""
import collections
import fcntl
import os
import random
import select
import struct
import subprocess
import sys
import time

namespace, device, here, there, seed = sys.argv[1:]
chance = random.Random(int(seed))
delay, loss = 0.0, 0.0
MOST_WAITING = 5000


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def tun(name):
    end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    # TUNSETIFF with IFF_TUN | IFF_NO_PI.
    fcntl.ioctl(end, 0x400454CA, struct.pack("16sH22x", name.encode(), 0x1001))
    return end


ip("netns", "add", namespace)
try:
    ends = [tun(device + "a"), tun(device + "b")]
    ip("addr", "add", here + "/24", "dev", device + "a")
    ip("link", "set", device + "a", "up")
    ip("link", "set", device + "b", "netns", namespace)
    ip("-n", namespace, "addr", "add", there + "/24", "dev", device + "b")
    ip("-n", namespace, "link", "set", device + "b", "up")
    ip("-n", namespace, "link", "set", "lo", "up")
    print("ready", flush=True)

    other = {ends[0]: ends[1], ends[1]: ends[0]}
    waiting = {end: collections.deque() for end in ends}
    text = b""
    while True:
        now = time.monotonic()
        for end in ends:
            while waiting[end] and waiting[end][0][0] <= now:
                try:
                    os.write(end, waiting[end].popleft()[1])
                except OSError:
                    pass
        due = [queue[0][0] for queue in waiting.values() if queue]
        pause = max(0.0, min(due) - now) if due else None
        for source in select.select([0, *ends], [], [], pause)[0]:
            if source == 0:
                read = os.read(0, 4096)
                if not read:
                    sys.exit(0)
                *lines, text = (text + read).split(b"\n")
                for line in lines:
                    ms, percent = line.split()
                    delay, loss = float(ms) / 1000, float(percent) / 100
                continue
            for _ in range(64):
                try:
                    packet = os.read(source, 65536)
                except BlockingIOError:
                    break
                queue = waiting[other[source]]
                if chance.random() >= loss and len(queue) < MOST_WAITING:
                    queue.append((max(time.monotonic() + delay, queue[-1][0] if queue else 0), packet))
finally:
    subprocess.run(["ip", "netns", "del", namespace])
