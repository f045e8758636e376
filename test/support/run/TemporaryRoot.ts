/**
 * Where tests put the folders of databases, brokers and programs: in memory where it has room. A database is a thousand small files,
 * and a disk takes longer to make them than PostgreSQL to fill them: half of the CPU of a program's start.
 */
import { readFileSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"

const memory = "/dev/shm"
const roomNeeded = 4 * 1024 ** 3

/** Containers often have little room there, or start no program from it, as some tests do. */
const isUsable = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(memory)
    const mount = readFileSync("/proc/mounts", "utf8").split("\n").map((line) => line.split(" ")).find(([, at]) => at === memory)
    const options = mount?.[3]?.split(",") ?? ["ro"]
    return Math.min(bavail * bsize, process.availableMemory()) >= roomNeeded && options.includes("rw") &&
      !options.includes("noexec")
  } catch {
    return false
  }
}

export const temporaryRoot = isUsable() ? memory : tmpdir()
