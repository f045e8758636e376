/** The program without room in its database, and without file descriptors: it says so, and goes on by itself when there is room. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { execFile } from "node:child_process"
import { chmod, chown, mkdtemp, rm } from "node:fs/promises"
import { Agent, get } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import * as Database from "../../src/store/postgres/Database.ts"
import { answering, receiver } from "../notify/alert/Receiver.ts"
import { ownDatabase } from "../support/ReplicatedDatabase.ts"
import { newDatabase } from "../support/TestDatabase.ts"
import { until } from "../support/Until.ts"
import { newAgent, request } from "./support/Client.ts"
import { newFolder, startProgram } from "./support/Program.ts"
import { newTarget } from "./support/Target.ts"

const run = promisify(execFile)

/** Mounting and changing limits of others need root on Linux. */
const canExhaust = process.platform === "linux" && process.getuid?.() === 0
if (!canExhaust) {
  const reason = "SKIPPED: the tests of a full disk and of file descriptors need root on Linux."
  if (process.env["CI"]) throw new Error(reason)
  console.warn(reason)
}

/** A database on a disk of so many MB; the log of its server has another one, without which PostgreSQL would stop. */
const smallDatabase = Effect.fn("smallDatabase")(function*(megabytes: number) {
  const server = yield* ownDatabase({ shared_buffers: "128MB" })
  const disk = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = await mkdtemp(join(tmpdir(), "belltower-disk-"))
      await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder])
      const { owner } = server
      if (owner !== undefined) await chown(folder, owner.uid, owner.gid)
      await chmod(folder, 0o700)
      return folder
    }),
    (folder) =>
      Effect.zipRight(
        server.kill,
        // Its processes may take a moment to end.
        Effect.promise(() => run("umount", ["--lazy", folder]).then(() => rm(folder, { recursive: true, force: true })))
      )
  )
  yield* server.ask(`create tablespace small location '${disk}'`)
  yield* server.ask("create database belltower tablespace small")
  return server.address("belltower")
})

const makeScene = Effect.fn("makeScene")(function*(address: Redacted.Redacted) {
  const program = yield* startProgram({ folder: yield* newFolder, env: { DATABASE_URL: Redacted.value(address) } })
  const agent = yield* newAgent(program.baseUrl)
  const hook = yield* receiver(answering(204))
  const target = yield* newTarget
  yield* agent.post("/channels", { name: "Team", type: "webhook", url: hook.url, events: ["monitor.down", "monitor.up"] })
  const { body: shop } = yield* agent.post("/monitors", { name: "Shop", url: target.url, intervalSec: 10, failureThreshold: 1 })
  const stateOf = Effect.map(agent.get(`/monitors/${shop.id}`), ({ body }) => body?.state)
  yield* until(stateOf, (state) => state === "up")
  const alerts = Effect.sync(() => hook.seen.map(({ body }) => JSON.parse(body).type))
  return { agent, alerts, program, stateOf, target }
})

describe.skipIf(!canExhaust)("a program", () => {
  it.scopedLive(
    "whose database has no room left says so, keeps what it can, and alerts as soon as there is room",
    () =>
      Effect.gen(function*() {
        const address = yield* smallDatabase(64)
        const pool = yield* Layer.build(Database.layer(address, { maxConnections: 2, applicationName: "belltower flow" }))
        const sql = Context.get(pool, SqlClient.SqlClient)
        const { agent, alerts, program, stateOf, target } = yield* makeScene(address)
        const { body: job } = yield* agent.post("/monitors", { name: "Job", kind: "heartbeat", periodSec: 3600, graceSec: 3600 })
        const ping = request(`${program.baseUrl}/hb/${String(job.pingUrl).split("/").at(-1)}`)

        // Room for a page here and there remains, so the filler comes back for it.
        yield* sql`create table filler (text text)`
        const fill = Effect.exit(sql`insert into filler select repeat(md5(n::text), 10) from generate_series(1, 400) n`)
        const filling = Effect.zipRight(until(fill, ({ _tag }) => _tag === "Failure"), Effect.sleep("20 millis"))
        yield* Effect.scoped(Effect.gen(function*() {
          yield* Effect.forkScoped(Effect.forever(filling))
          target.breaks()
          const refused = yield* until(
            agent.post("/monitors", { name: "x".repeat(80), url: `${target.url}?${"y".repeat(1500)}`, paused: true }),
            ({ status }) => status !== 201
          )
          expect([refused.status, refused.body.error.code]).toEqual([503, "unavailable"])
          const ready = yield* request(`${program.baseUrl}/readyz`)
          expect(ready.body).toMatchObject({
            failing: ["database"],
            reasons: { database: expect.stringMatching(/full.*Free space/) }
          })
          expect((yield* agent.get("/monitors")).status).toBe(200)
        }))
        yield* sql`truncate filler`
        yield* until(alerts, (types) => types.includes("monitor.down"), "30 seconds")
        yield* until(ping, ({ status }) => status === 200, "30 seconds")
        target.recovers()
        yield* until(alerts, (types) => types.includes("monitor.up"), "30 seconds")
        yield* until(stateOf, (state) => state === "up")
        expect(yield* alerts).toEqual(["monitor.down", "monitor.up"])
        expect((yield* until(request(`${program.baseUrl}/readyz`), ({ body }) => body.failing === undefined)).status).toBe(200)
      }),
    180_000
  )

  it.scopedLive(
    "without file descriptors says so, takes no target for down, and goes on when it gets some",
    () =>
      Effect.gen(function*() {
        const { agent, alerts, program, stateOf, target } = yield* makeScene(yield* newDatabase("migrated"))
        const port = Number(new URL(program.baseUrl).port)
        // The soft limit: the hard one could not be raised again.
        const limit = (files: string) =>
          Effect.promise(() => run("prlimit", ["--pid", String(program.pid), `--nofile=${files}:`]))
        const { stdout } = yield* Effect.promise(() =>
          run("prlimit", ["--pid", String(program.pid), "--nofile", "--output", "SOFT", "--noheadings"])
        )
        const kept = yield* Effect.acquireRelease(
          Effect.sync(() => new Agent({ keepAlive: true, maxSockets: 1 })),
          (one) => Effect.sync(() => one.destroy())
        )
        /** Over a connection that is open already. */
        const ask = (path: string) =>
          Effect.async<{ readonly status: number | undefined; readonly text: string }>((resume) => {
            get({ host: "127.0.0.1", port, path, agent: kept }, (response) => {
              let text = ""
              response.on("data", (chunk: Buffer) => {
                text += chunk.toString("utf8")
              })
              response.on("end", () => resume(Effect.succeed({ status: response.statusCode, text })))
            }).on("error", (cause) => resume(Effect.succeed({ status: undefined, text: String(cause) })))
          })
        const readiness = ask("/readyz")
        expect((yield* readiness).status).toBe(200)
        // Fewer than are open already: whatever would be opened now is refused.
        yield* limit("10")
        const found = yield* until(readiness, ({ status }) => status === 503)
        expect(JSON.parse(found.text)).toMatchObject({
          ready: false,
          failing: expect.arrayContaining(["files"]),
          reasons: { files: expect.stringMatching(/Raise its limit of open files/) }
        })
        // A check that gets no socket is skipped: it says nothing about its target.
        yield* until(
          ask("/metrics"),
          ({ text }) => /^belltower_checks_skipped_total\{[^}]*reason="files"[^}]*\} [1-9]/m.test(text)
        )
        yield* limit(stdout.trim())
        yield* until(readiness, ({ status }) => status === 200)
        expect(yield* stateOf).toBe("up")
        expect(yield* alerts).toEqual([])
        target.breaks()
        yield* until(alerts, (types) => types.includes("monitor.down"), "30 seconds")
        expect((yield* agent.get("/monitors")).status).toBe(200)
      }),
    180_000
  )
})
