/** Ends a browser whose processes use too much memory together. */
import { Effect, Schedule } from "effect"
import { readFile } from "node:fs/promises"
import { browserLimits } from "../../domain/check/answer/ScriptLimits.ts"

const pageBytes = 4096

/** A process that ended meanwhile reads as nothing. */
const read = (path: string): Effect.Effect<string> =>
  Effect.orElseSucceed(Effect.tryPromise(() => readFile(path, "utf8")), () => "")

const numbers = (text: string): ReadonlyArray<number> => text.trim().split(/\s+/).filter((part) => part !== "").map(Number)

/** The memory of a process and its descendants without what they share, bytes. */
const heldBy = (pid: number): Effect.Effect<number> =>
  Effect.gen(function*() {
    const [, resident = 0, shared = 0] = numbers(yield* read(`/proc/${pid}/statm`))
    const children = numbers(yield* read(`/proc/${pid}/task/${pid}/children`))
    const held = yield* Effect.forEach(children, heldBy)
    return held.reduce((sum, one) => sum + one, (resident - shared) * pageBytes)
  })

/** Completes when the memory is beyond the limit. Where there is no /proc, it never does. */
export const memoryExceeded = (pid: number): Effect.Effect<string> =>
  heldBy(pid).pipe(
    Effect.repeat({ until: (bytes) => bytes > browserLimits.memoryBytes, schedule: Schedule.spaced("500 millis") }),
    Effect.as(`The browser used more than ${browserLimits.memoryBytes / 1_048_576} MiB of memory`)
  )
