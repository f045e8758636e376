/** Says what a call waits for, to clients that ask for its progress. A call that ends soon says nothing. */
import { Clock, Effect, type Scope } from "effect"
import type { ClientCall } from "./protocol/ClientCall.ts"
import type { Arguments } from "./ToolCall.ts"
import type { OperationTool } from "./Tools.ts"

const firstAfter = "2 seconds"
const then = "3 seconds"

interface Wait {
  readonly what: string
  /** The longest it takes, where that is known. */
  readonly mostSec?: number
}

const stateOf = ({ state }: Arguments): string => (typeof state === "string" ? state.slice(0, 20) : "up")

const secondsOf = ({ timeoutSec }: Arguments): number => (typeof timeoutSec === "number" ? timeoutSec : 30)

/** The waits of the tools that take long. */
const waits: Readonly<Record<string, (given: Arguments) => Wait>> = {
  wait_for_monitor: (given) => ({ what: `Waiting until the monitor is ${stateOf(given)}`, mostSec: secondsOf(given) }),
  run_check: () => ({ what: "Waiting for the result of the check" }),
  preview_check: () => ({ what: "Waiting for the result of the check" }),
  preview_import: () => ({ what: "Reading from the source" }),
  start_import: () => ({ what: "Reading from the source" }),
  create_drill: () => ({ what: "Starting the drill" }),
  test_channel: () => ({ what: "Waiting for the answer of the channel" }),
  plan_changes: () => ({ what: "Comparing the document with the workspace" }),
  apply_plan: () => ({ what: "Applying the plan" })
}

const waitOf = ({ operation: { id, summary } }: OperationTool, given: Arguments): Wait =>
  waits[id]?.(given) ?? { what: `Running: ${summary}` }

/** Does the work, and reports every few seconds how long it has taken. Without a client that asked, nothing is started. */
export const reported = <A, E, R>(
  report: ClientCall["report"],
  tool: OperationTool,
  given: Arguments,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, Exclude<R, Scope.Scope>> => {
  if (report === null) return Effect.scoped(work)
  const { mostSec, what } = waitOf(tool, given)
  const say = (began: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const progress = Math.round((now - began) / 100) / 10
      return report({
        progress,
        ...(mostSec === undefined ? {} : { total: Math.max(mostSec, progress) }),
        message: `${what}, ${Math.floor(progress)} s${mostSec === undefined ? "" : ` of at most ${mostSec} s`} so far`
      })
    })
  const loop = Effect.flatMap(
    Clock.currentTimeMillis,
    (began) => Effect.zipRight(Effect.sleep(firstAfter), Effect.forever(Effect.zipRight(say(began), Effect.sleep(then))))
  )
  return Effect.scoped(Effect.zipRight(Effect.forkScoped(loop), work))
}
