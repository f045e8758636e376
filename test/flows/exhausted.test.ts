/** The program without file descriptors, and without room in its database: it says so, and goes on by itself when there is room. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { execFile } from "node:child_process"
import { appendFile, chmod, chown, mkdir, mkdtemp, rm } from "node:fs/promises"
import { Agent, get } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { answering, receiver } from "../notify/alert/Receiver.ts"
import { ownDatabase } from "../support/database/ReplicatedDatabase.ts"
import { until } from "../support/time/Until.ts"
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

/** A disk of so many MB, and a folder on it for a database. */
const smallDisk = (megabytes: number, owner: { readonly uid: number; readonly gid: number } | undefined) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const disk = await mkdtemp(join(tmpdir(), "belltower-disk-"))
      await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", disk])
      const folder = join(disk, "database")
      await mkdir(folder)
      if (owner !== undefined) await chown(folder, owner.uid, owner.gid)
      await chmod(folder, 0o700)
      return { folder, ballast: join(disk, "ballast") }
    }),
    ({ folder }) =>
      // The server's processes may take a moment to end.
      Effect.promise(() => run("umount", ["--lazy", join(folder, "..")]).then(() => rm(join(folder, ".."), { recursive: true })))
  )

/** A database on a disk of its own; the log of its server has another one, without which PostgreSQL would stop. */
const smallDatabase = Effect.gen(function*() {
  const server = yield* ownDatabase({ shared_buffers: "128MB" })
  const { ballast, folder } = yield* smallDisk(64, server.owner)
  yield* Effect.addFinalizer(() => server.kill)
  yield* server.ask(`create tablespace small location '${folder}'`)
  yield* server.ask("create database belltower tablespace small")
  return { address: server.address("belltower"), ballast }
})

/** The program with a monitor of a service by its address, and one by its name. */
const makeScene = Effect.gen(function*() {
  const { address, ballast } = yield* smallDatabase
  const program = yield* startProgram({
    folder: yield* newFolder,
    env: { DATABASE_URL: Redacted.value(address), BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8,::1" }
  })
  const agent = yield* newAgent(program.baseUrl)
  const hook = yield* receiver(answering(204))
  const target = yield* newTarget
  yield* agent.post("/channels", { name: "Team", type: "webhook", url: hook.url, events: ["monitor.down", "monitor.up"] })
  const newMonitor = (name: string, url: string) =>
    Effect.map(agent.post("/monitors", { name, url, intervalSec: 10, failureThreshold: 1 }), ({ body }) => String(body.id))
  const shop = yield* newMonitor("Shop", target.url)
  const named = yield* newMonitor("Named", (yield* newTarget).url.replace("127.0.0.1", "localhost"))
  const states = Effect.forEach([shop, named], (id) => Effect.map(agent.get(`/monitors/${id}`), ({ body }) => body?.state))
  const areUp = until(states, (all) => all.every((state) => state === "up"))
  yield* areUp
  const alerts = Effect.sync(() => hook.seen.map(({ body }) => JSON.parse(body).type))
  return { agent, alerts, areUp, ballast, program, shop, states, target }
})
type Scene = Effect.Effect.Success<typeof makeScene>

/** Asks over one connection, which stays open. */
const makeKeptConnection = Effect.fn("makeKeptConnection")(function*(baseUrl: string) {
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => new Agent({ keepAlive: true, maxSockets: 1 })),
    (one) => Effect.sync(() => one.destroy())
  )
  return (path: string) =>
    Effect.async<{ readonly status: number | undefined; readonly text: string }>((resume) => {
      get(`${baseUrl}${path}`, { agent }, (response) => {
        let text = ""
        response.on("data", (chunk: Buffer) => {
          text += chunk.toString("utf8")
        })
        response.on("end", () => resume(Effect.succeed({ status: response.statusCode, text })))
      }).on("error", (cause) => resume(Effect.succeed({ status: undefined, text: String(cause) })))
    })
})

const skipped = (metrics: string): number =>
  Number(/^belltower_checks_skipped_total\{[^}]*reason="files"[^}]*\} (\d+)/m.exec(metrics)?.[1] ?? 0)

const withoutDescriptors = Effect.fn("withoutDescriptors")(function*({ alerts, program, states }: Scene) {
  // The soft limit: the hard one could not be raised again.
  const limit = (files: string) => Effect.promise(() => run("prlimit", ["--pid", String(program.pid), `--nofile=${files}:`]))
  const { stdout } = yield* Effect.promise(() =>
    run("prlimit", ["--pid", String(program.pid), "--nofile", "--output", "SOFT", "--noheadings"])
  )
  const ask = yield* makeKeptConnection(program.baseUrl)
  expect((yield* ask("/readyz")).status).toBe(200)
  // Fewer than are open already: whatever would be opened now is refused.
  yield* limit("10")
  const found = yield* until(ask("/readyz"), ({ status }) => status === 503)
  expect(JSON.parse(found.text)).toMatchObject({
    ready: false,
    failing: expect.arrayContaining(["files"]),
    reasons: { files: expect.stringMatching(/Raise its limit of open files/) }
  })
  // A check that gets no socket, not even to look a name up, is skipped: it says nothing about its target.
  yield* until(ask("/metrics"), ({ text }) => skipped(text) >= 2)
  yield* limit(stdout.trim())
  yield* until(ask("/readyz"), ({ status }) => status === 200)
  expect(yield* states).toEqual(["up", "up"])
  expect(yield* alerts).toEqual([])
})

/** Takes all room that there is, as long as the scope lasts. A page here and there becomes free, so it comes back for them. */
const fill = (ballast: string) => {
  const take = (bytes: number) => Effect.tryPromise(() => appendFile(ballast, Buffer.alloc(bytes)))
  const takeAll = Effect.ignore(Effect.orElse(Effect.forever(take(1 << 20)), () => Effect.forever(take(4096))))
  return Effect.acquireRelease(
    Effect.forkDaemon(Effect.interruptible(Effect.forever(Effect.delay(takeAll, "5 millis")))),
    (filling) => Effect.zipRight(Fiber.interrupt(filling), Effect.promise(() => rm(ballast)))
  )
}

const withoutRoom = Effect.fn("withoutRoom")(function*({ agent, alerts, areUp, ballast, program, shop, target }: Scene) {
  const { body: job } = yield* agent.post("/monitors", { name: "Job", kind: "heartbeat", periodSec: 3600, graceSec: 3600 })
  const ping = request(`${program.baseUrl}/hb/${String(job.pingUrl).split("/").at(-1)}`)
  yield* Effect.scoped(Effect.gen(function*() {
    yield* fill(ballast)
    target.breaks()
    const refused = yield* until(
      agent.post("/monitors", { name: "x".repeat(80), url: `${target.url}?${"y".repeat(1500)}`, paused: true }),
      ({ status }) => status !== 201
    )
    expect([refused.status, refused.body.error.code]).toEqual([503, "unavailable"])
    // The health of a second ago may be answered.
    const ready = yield* until(request(`${program.baseUrl}/readyz`), ({ body }) => body.failing !== undefined, "5 seconds")
    expect(ready.body).toMatchObject({
      failing: ["database"],
      reasons: { database: expect.stringMatching(/full.*Free space/) }
    })
    expect((yield* agent.get("/monitors")).status).toBe(200)
  }))
  yield* until(alerts, (types) => types.includes("monitor.down"), "30 seconds")
  yield* until(ping, ({ status }) => status === 200, "30 seconds")
  target.recovers()
  yield* agent.post(`/monitors/${shop}/check`, { apply: true })
  yield* until(alerts, (types) => types.includes("monitor.up"), "30 seconds")
  yield* areUp
  expect(yield* alerts).toEqual(["monitor.down", "monitor.up"])
  expect((yield* until(request(`${program.baseUrl}/readyz`), ({ body }) => body.failing === undefined)).status).toBe(200)
})

describe.skipIf(!canExhaust)("a program without file descriptors, and then with a full database", () => {
  it.scopedLive(
    "says so, takes no target for down, keeps what it can, and goes on as soon as there is room",
    () =>
      Effect.gen(function*() {
        const scene = yield* makeScene
        yield* withoutDescriptors(scene)
        yield* withoutRoom(scene)
      }),
    180_000
  )
})
