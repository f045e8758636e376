/** The address space that V8 sets aside for compiled code, which Linux counts as data of a process from its start. */
import { Either } from "effect"
import { readFileSync } from "node:fs"

/** V8 sets no larger range aside (`kMaximalCodeRangeSize`). */
const mostBytes = 512 * 1_048_576

/**
 * The largest mapping of `/proc/<pid>/maps` (proc(5)) that is writable and executable, in bytes. Each isolate has one: up to Node 22 it
 * cannot be written until it is used, so a limit of data (RLIMIT_DATA) does not count it; from Node 24 on it does, used or not.
 */
export const reservedIn = (maps: string): number => {
  const sizes = [...maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) rwxp /gm)].map(([, from = "0", to = "0"]) =>
    Number.parseInt(to, 16) - Number.parseInt(from, 16)
  )
  return Math.min(mostBytes, Math.max(0, ...sizes))
}

/** The data reserved by this process. Its helpers are started by the same Node and reserve as much. 0 where there is no `/proc`. */
export const reservedData = (): number =>
  Either.match(Either.try(() => readFileSync("/proc/self/maps", "latin1")), { onLeft: () => 0, onRight: reservedIn })
