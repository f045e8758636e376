// Freezes and thaws a process with all its descendants.
import { readdirSync, readFileSync } from "node:fs"

const parentOf = (pid) => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1])
  } catch {
    return null
  }
}

/** The process and all its descendants. */
export const family = (root) => {
  const parents = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map((name) => [Number(name), parentOf(name)])
  const members = [root]
  for (const member of members) for (const [pid, parent] of parents) if (parent === member) members.push(pid)
  return members
}

const signalAll = (pid, signal) => {
  for (const one of pid === null ? [] : family(pid)) {
    try {
      process.kill(one, signal)
    } catch (error) {
      if (error.code !== "ESRCH") throw error
    }
  }
}

/** Stops the member in the middle of its work, without its knowledge. */
export const freeze = ({ pid }) => signalAll(pid, "SIGSTOP")
export const thaw = ({ pid }) => signalAll(pid, "SIGCONT")
