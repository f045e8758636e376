/** Sends ICMP echo requests by the system's ping program, which may do that without the rights that raw sockets need. */
import { Context, Effect } from "effect"
import { type PingOutput, readPing } from "../domain/check/answer/PingOutput.ts"
import { EgressGuard } from "../egress/EgressGuard.ts"
import { makeFairRuns } from "./FairRuns.ts"
import { Overloaded } from "./Overloaded.ts"
import { startProcess } from "./StartProcess.ts"

/** The ping program: a path, or a name that is found in the usual folders. */
export class PingProgram extends Context.Reference<PingProgram>()("belltower/PingProgram", {
  defaultValue: () => "ping"
}) {}

/** An address that the egress guard has vetted. */
interface PingJob {
  readonly address: string
  readonly timeoutMs: number
}

export interface PingEnd {
  /** Null if the program failed: it refused its arguments, or the network was unreachable. */
  readonly report: PingOutput | null
  readonly totalMs: number
}

/** Each run is a process of about 2 MB. */
const mostRuns = 64

/** The program prints a few lines; more is cut. */
const mostOutput = 16_384

const overloaded = new Overloaded({
  resource: "pings",
  message: "The check was not made: too many pings of this workspace are waiting. Use longer intervals."
})

/** The target has no part in it. */
const unable = new Overloaded({
  resource: "pings",
  message:
    "The check was not made: this probe cannot send ICMP. Install ping (Debian: iputils-ping), and grant the probe CAP_NET_RAW."
})

/** A probe that cannot send may be able to later. */
const triedAgainAfter = "1 minute"

/** One reply is enough. Without one, a request goes out every second until the deadline. */
const argumentsOf = ({ address, timeoutMs }: PingJob): ReadonlyArray<string> => [
  "-n",
  "-c",
  "1",
  "-w",
  String(Math.max(1, Math.ceil(timeoutMs / 1000))),
  address
]

const startWith = (program: string) => (job: PingJob, end: (end: PingEnd | Overloaded) => void): () => void => {
  const startedAt = performance.now()
  // No shell, and no variables but those that find the program and keep its words English.
  const child = startProcess(program, argumentsOf(job), {
    env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" },
    stdio: ["ignore", "pipe", "ignore"]
  })
  if (child === null) {
    end(unable)
    return () => {}
  }
  let output = ""
  let isOver = false
  const finish = (isAnswer: boolean): void => {
    if (isOver) return
    isOver = true
    end({ report: isAnswer ? readPing(output) : null, totalMs: performance.now() - startedAt })
  }
  child.stdout?.setEncoding("latin1")
  child.stdout?.on("data", (text: string) => {
    if (output.length < mostOutput) output += text
  })
  // 0: a reply came; 1: none did. Anything else is a fault of the program.
  child.on("close", (code) => finish(code === 0 || code === 1))
  return () => {
    isOver = true
    child.kill("SIGKILL")
  }
}

export class Pings extends Effect.Service<Pings>()("belltower/Pings", {
  scoped: Effect.gen(function*() {
    const guard = yield* EgressGuard
    const start = startWith(yield* PingProgram)
    let works = false

    /** Pings this machine: the program exists and may send. */
    const tryOnce = Effect.async<boolean>((resume) => {
      const kill = start(
        { address: "127.0.0.1", timeoutMs: 2000 },
        (end) => resume(Effect.succeed(!(end instanceof Overloaded) && (end.report?.received ?? 0) > 0))
      )
      return Effect.sync(kill)
    }).pipe(Effect.timeoutTo({ duration: "5 seconds", onSuccess: (found) => found, onTimeout: () => false }))
    const tried = yield* Effect.cachedWithTTL(
      Effect.tap(tryOnce, (found) => {
        works = found
      }),
      triedAgainAfter
    )
    // A program that has worked is not doubted because the machine is slow for a while.
    const isAvailable = Effect.suspend(() => works ? Effect.succeed(true) : tried)

    const run = yield* makeFairRuns<PingJob, PingEnd | Overloaded>({
      deadlines: guard.deadlines,
      slots: mostRuns,
      room: { total: 2000, perOwner: 500 },
      longestWaitMs: 10_000,
      overloaded,
      prepare: isAvailable,
      begin: (job, end) => {
        if (works) return start(job, end)
        end(unable)
        return () => {}
      }
    })
    return { run, isAvailable }
  })
}) {}
