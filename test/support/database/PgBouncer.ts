/** Debian's PgBouncer in front of the server of the test run. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { createConnection } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { freePort } from "../network/FreePort.ts"
import { until } from "../time/Until.ts"

const pgBouncer = ["/usr/sbin/pgbouncer", "/usr/local/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"].find((path) =>
  existsSync(path)
)

/** Whether it can run. If not, it prints a warning; under CI it throws, because CI must not skip tests. */
export const canRunPgBouncer = (): boolean => {
  if (pgBouncer !== undefined) return true
  const reason = "Install the package pgbouncer."
  if (process.env["CI"]) throw new Error(reason)
  console.warn(`SKIPPED: the tests that need PgBouncer. ${reason}`)
  return false
}

const canConnect = (port: number) =>
  Effect.async<boolean>((resume) => {
    const socket = createConnection(port, "127.0.0.1")
    const end = (isOpen: boolean) => {
      socket.destroy()
      resume(Effect.succeed(isOpen))
    }
    socket.once("connect", () => end(true)).once("error", () => end(false))
  })

/** Starts one; it ends with the scope. The port that it listens on. `settings` are lines of its section `pgbouncer`. */
export const startPgBouncer = Effect.fn("startPgBouncer")(function*(settings: ReadonlyArray<string>) {
  if (pgBouncer === undefined) return yield* Effect.dieMessage("PgBouncer is not installed")
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "belltower-pgbouncer-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  const port = yield* freePort
  const server = new URL(inject("databaseServer"))
  const host = server.searchParams.get("host") ?? server.hostname
  const serverPort = server.searchParams.get("port") ?? (server.port || "5432")
  const file = join(folder, "pgbouncer.ini")
  yield* Effect.promise(async () => {
    await chmod(folder, 0o755)
    await writeFile(
      file,
      [
        "[databases]",
        `* = host=${host} port=${serverPort} user=${server.username} password=${server.password}`,
        "[pgbouncer]",
        "listen_addr = 127.0.0.1",
        `listen_port = ${port}`,
        "unix_socket_dir =",
        "auth_type = any",
        ...settings
      ].join("\n")
    )
  })
  yield* Effect.acquireRelease(
    // It refuses to run as root.
    Effect.sync(() =>
      spawn(pgBouncer, [file], { stdio: "ignore", ...(process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}) })
    ),
    (child) =>
      Effect.async<void>((resume) => {
        if (child.exitCode !== null || child.pid === undefined) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  )
  yield* until(canConnect(port), (isOpen) => isOpen)
  return port
})
