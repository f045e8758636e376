/** One running server process of PostgreSQL: started, followed through its log, stopped with its scope. */
import { Deferred, Effect, Option, type Scope, Stream } from "effect"
import type { ChildProcess } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseUnavailable } from "./DatabaseUnavailable.ts"
import { type Launcher, spawnWith } from "./PostgresLauncher.ts"

export interface PostgresServer {
  readonly pid: number
  /** Done when it accepts connections, however long its recovery takes; fails when it ends before that. */
  readonly ready: Effect.Effect<void, DatabaseUnavailable>
  /** Fails when it ends; otherwise never done. */
  readonly ended: Effect.Effect<never, DatabaseUnavailable>
}

const keptLines = 50

/** The line that says why, out of all that a program of PostgreSQL wrote. */
export const reason = (lines: ReadonlyArray<string>): string =>
  lines.findLast((line) => /\b(FATAL|PANIC|ERROR|error):/.test(line)) ??
    lines.findLast((line) => line.trim() !== "") ?? "it gave no reason"

/** What a fast shutdown says to a connection that is just being closed. */
const farewell = "terminating connection due to administrator command"

/** A failure to start is told once, by `ready`. */
const logged = (line: string, accepting: boolean): Effect.Effect<void> =>
  accepting && /\bPANIC:/.test(line)
    ? Effect.logError(`PostgreSQL: ${line}`)
    : /automatic recovery in progress|terminated by signal/.test(line) ||
        (accepting && /\bFATAL:/.test(line) && !line.includes(farewell))
    ? Effect.logWarning(`PostgreSQL: ${line}`)
    : Effect.logDebug(`PostgreSQL: ${line}`)

/** A fast shutdown; then one that the next start recovers from; then the end. */
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

/** Where the kernel cannot: a shell that notices the end of this process by its closed pipe, and stops the server. */
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
      // Not `exit`: by `close` its last words have been read, too.
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

  // Outlives the scope on purpose: the log is read to its end, which is the server's.
  yield* Stream.fromAsyncIterable(createInterface({ input: log }), (cause) => cause).pipe(
    Stream.runForEach((line) => {
      lines.push(line)
      if (lines.length > keptLines) lines.shift()
      const told = line.includes("ready to accept connections") ? Deferred.succeed(accepts, undefined) : Effect.void
      return told.pipe(Effect.zipRight(Deferred.isDone(accepts)), Effect.flatMap((accepting) => logged(line, accepting)))
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
