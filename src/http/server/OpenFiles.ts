/** The file descriptors of this process. Each socket is one, and a process without any left reaches nobody. Known on Linux only. */
import { Effect, Option } from "effect"
import { readdir, readFile } from "node:fs/promises"
import { type Finding, fine } from "../../domain/health/Health.ts"

const limit = Effect.map(
  Effect.tryPromise(() => readFile("/proc/self/limits", "utf8")),
  (text) => Option.map(Option.fromNullable(/^Max open files\s+(\d+)/m.exec(text)?.[1]), Number)
)

/** The most that this process may have open; none where it is unlimited or unknown. */
export const mostOpenFiles: Effect.Effect<Option.Option<number>> = Effect.orElseSucceed(limit, Option.none)

/** The share that clients may take with their connections: checks, alerts and the database need the rest. */
const clientShare = 0.5

/** The most connections of clients, which leave some of so many files for everything else. */
export const mostConnections = (openFiles: number): number => Math.max(1, Math.floor(openFiles * clientShare))

/** A check holds a socket or two, and the system's resolver another one. */
const filesPerCheck = 3

/** The most checks at a time that so many files suffice for. */
export const mostChecks = (openFiles: number): number => Math.max(4, Math.floor(openFiles / filesPerCheck))

/** With fewer left, percent, the process is not fit for more work. */
const leastLeft = 5

const failing = (which: string): Finding => ({
  state: "failing",
  reason: `${which} files are open that this process may have open. Raise its limit of open files (ulimit -n)`
})

/** Both reads take a descriptor, so they fail if none is left. */
const look = Effect.all([limit, Effect.tryPromise(() => readdir("/proc/self/fd"))]).pipe(
  Effect.map(([most, { length: open }]): Finding => {
    if (Option.isNone(most)) return fine
    const details = { open, most: most.value }
    return most.value - open > most.value * leastLeft / 100
      ? { ...fine, details }
      : { ...failing(`${open} of ${most.value}`), details }
  }),
  Effect.orElseSucceed(() => failing("All"))
)

/** Fine where there is nothing to read. */
export const openFilesLook: Effect.Effect<Effect.Effect<Finding>> = Effect.map(
  Effect.isSuccess(limit),
  (isKnown) => isKnown ? look : Effect.succeed(fine)
)
