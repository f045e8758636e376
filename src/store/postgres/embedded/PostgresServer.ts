/** One PostgreSQL server process: starts it, follows its log, and stops it when the scope closes. */
import { Deferred, Effect, Option, type Scope, Stream } from "effect"
import type { ChildProcess } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseUnavailable } from "../DatabaseUnavailable.ts"
import { type Launcher, spawnWith } from "./PostgresLauncher.ts"

export interface PostgresServer {
  readonly pid: number
  /** Completes when the server accepts connections, however long recovery takes; fails when it exits first. */
  readonly ready: Effect.Effect<void, DatabaseUnavailable>
  /** Fails when the server exits; otherwise never completes. */
  readonly ended: Effect.Effect<never, DatabaseUnavailable>
}

const keptLines = 50

/** The line with the reason for a failure, from the output of a PostgreSQL program. */
export const reason = (lines: ReadonlyArray<string>): string =>
  lines.findLast((line) => /\b(FATAL|PANIC|ERROR|error):/.test(line)) ??
    lines.findLast((line) => line.trim() !== "") ?? "it gave no reason"

/** Logged for each open connection during a fast shutdown. */
const shutdownNotice = "terminating connection due to administrator command"

/** Logs a line of the server. Startup failures stay at debug level because `ready` reports them. */
const logged = (line: string, accepting: boolean): Effect.Effect<void> =>
  accepting && /\bPANIC:/.test(line)
    ? Effect.logError(`PostgreSQL: ${line}`)
    : /automatic recovery in progress|terminated by signal/.test(line) ||
        (accepting && /\bFATAL:/.test(line) && !line.includes(shutdownNotice))
    ? Effect.logWarning(`PostgreSQL: ${line}`)
    : Effect.logDebug(`PostgreSQL: ${line}`)

/** A fast shutdown, then an immediate one that the next start recovers from, then a kill. */
const stages = [["SIGINT", "20 seconds"], ["SIGQUIT", "5 seconds"], ["SIGKILL", "5 seconds"]] as const

const stop = (child: ChildProcess, exited: Deferred.Deferred<string>) =>
  Effect.gen(function*() {
    for (const [signal, limit] of stages) {
      if (yield* Deferred.isDone(exited)) return
      child.kill(signal)
      if (Option.isSome(yield* Deferred.await(exited).pipe(Effect.timeoutOption(limit)))) return
      yield* Effect.logWarning(`PostgreSQL did not stop within ${limit} of ${signal}`)
    }
  })

/** Used where the kernel cannot signal the server: a shell that stops it when this process's pipe closes. */
const guard = (launcher: Launcher, pid: number, cluster: string) => {
  const script = "cat >/dev/null; test \"$(head -n 1 \"$2\")\" = \"$1\" && kill -INT \"$1\""
  const args = ["-c", script, "sh", String(pid), join(cluster, "postmaster.pid")]
  return Effect.acquireRelease(
    Effect.sync(() => {
      const shell = spawnWith(launcher, "sh", args, ["pipe", "ignore", "ignore"])
      shell.on("error", () => {})
      return shell
    }),
    (shell) => Effect.sync(() => shell.kill("SIGKILL"))
  )
}

/** Starts `postgres` on `cluster`; does not wait for it to accept connections. */
export const startServer = Effect.fn("PostgresServer.start")(function*(
  launcher: Launcher,
  postgres: string,
  cluster: string,
  settings: ReadonlyArray<string>
): Effect.fn.Return<PostgresServer, DatabaseUnavailable, Scope.Scope> {
  const exited = yield* Deferred.make<string>()
  const accepts = yield* Deferred.make<void>()
  const lines: Array<string> = []

  const child = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawnWith(launcher, postgres, ["-D", cluster, ...settings.flatMap((setting) => ["-c", setting])], [
        "ignore",
        "ignore",
        "pipe"
      ])
      child.on("error", (cause) => Deferred.unsafeDone(exited, Effect.succeed(cause.message)))
      // `close` comes after the last output has been read; `exit` may come before.
      child.on(
        "close",
        (code, signal) => Deferred.unsafeDone(exited, Effect.succeed(signal === null ? `exit code ${code}` : `signal ${signal}`))
      )
      return child
    }),
    (child) => stop(child, exited)
  )
  const log = child.stderr
  if (child.pid === undefined || log === null) {
    return yield* new DatabaseUnavailable({ message: `Cannot run ${postgres}: ${yield* Deferred.await(exited)}` })
  }
  if (!launcher.guarded) yield* guard(launcher, child.pid, cluster)

  // Deliberately outlives the scope: it reads the log until the server has exited.
  yield* Stream.fromAsyncIterable(createInterface({ input: log }), (cause) => cause).pipe(
    Stream.runForEach((line) => {
      lines.push(line)
      if (lines.length > keptLines) lines.shift()
      const noted = line.includes("ready to accept connections") ? Deferred.succeed(accepts, undefined) : Effect.void
      return noted.pipe(Effect.zipRight(Deferred.isDone(accepts)), Effect.flatMap((accepting) => logged(line, accepting)))
    }),
    Effect.ignore,
    Effect.forkDaemon
  )

  const ended = Effect.flatMap(
    Deferred.await(exited),
    (how) => new DatabaseUnavailable({ message: `PostgreSQL ended (${how}): ${reason(lines)}` })
  )
  return { pid: child.pid, ready: Effect.raceFirst(Deferred.await(accepts), ended), ended }
})
