/** Starts that cannot succeed: each exits immediately, with one line that names the setting and the problem. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmod, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { testIdentity } from "../support/kafka/TestProbes.ts"
import { freePort } from "../support/network/FreePort.ts"
import { testSecret } from "../support/program/TestInstallation.ts"
import { databasesOf, freshProgram, newFolder, portInUse, type ProgramOptions, runProgram } from "./support/Program.ts"

/** The one line that a failed start prints. */
const refusal = Effect.fn("refusal")(function*(options: Partial<ProgramOptions>) {
  const folder = options.folder ?? (yield* newFolder)
  const port = yield* freePort
  const { code, stderr, stdout } = yield* runProgram({
    ...options,
    folder,
    env: { PORT: String(port), BELLTOWER_HOST: "127.0.0.1", ...options.env }
  })
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
  expect(stderr).toMatch(/^belltower: [^\n]+\n$/)
  expect(yield* databasesOf(folder)).toEqual([])
  return stderr.trim()
})

describe("a start", () => {
  it.scopedLive("with an invalid variable is rejected by its name", () =>
    Effect.gen(function*() {
      const folder = yield* newFolder
      expect(yield* refusal({ folder, env: { PORT: "abc" } })).toMatch(/^belltower: PORT must/)
      const line = yield* refusal({ folder, env: { BELLTOWER_SECRET: "hunter22" } })
      expect(line).toMatch(/^belltower: BELLTOWER_SECRET must/)
      expect(line).not.toContain("hunter22")
    }))

  it.scopedLive(
    "with an unknown variable continues, and warns with the closest setting",
    () =>
      Effect.gen(function*() {
        const program = yield* freshProgram({ BELLTOWER_ALOW_TARGETS: "10.0.0.0/8" })
        expect(program.stdout()).toContain("BELLTOWER_ALOW_TARGETS is unknown; did you mean BELLTOWER_ALLOW_TARGETS?")
        expect(program.stdout().match(/is unknown/g)).toHaveLength(1)
      })
  )

  it.scopedLive("for an unknown role, or one without its required settings, is rejected", () =>
    Effect.gen(function*() {
      expect(yield* refusal({ args: ["nonsense"] })).toContain(
        "Unknown command \"nonsense\". Use one of all, api, runner, probe"
      )
      expect(yield* refusal({ args: ["sign-in-link", "ada@example.com", "--operater"] })).toContain(
        "Unknown argument \"--operater\""
      )
      expect(yield* refusal({ args: ["probe"] })).toContain("KAFKA_BROKERS is required for the role probe")
      const kafka = { KAFKA_BROKERS: "127.0.0.1:9" }
      expect(yield* refusal({ args: ["api"], env: kafka })).toContain("BELLTOWER_SECRET is required for the role api")
      expect(yield* refusal({ args: ["runner"], env: { ...kafka, BELLTOWER_SECRET: testSecret } }))
        .toContain("DATABASE_URL is required for the role runner")
      expect(yield* refusal({ args: ["probes"], env: kafka })).toContain("KAFKA_BROKERS needs DATABASE_URL")
    }))

  it.scopedLive("of kafka-setup is rejected without brokers, unless it only prints", () =>
    Effect.gen(function*() {
      expect(yield* refusal({ args: ["kafka-setup", "--region", "eu"] })).toContain(
        "KAFKA_BROKERS is required, and the KAFKA_* settings of an administrator"
      )
      expect(yield* refusal({ args: ["kafka-setup", "--region", "EU"] })).toContain("\"EU\" is not the name of a region")
      const folder = yield* newFolder
      const { code, stdout } = yield* runProgram({ folder, args: ["kafka-setup", "--print", "--region", "eu"] })
      expect(code).toBe(0)
      expect(stdout.split("\n")).toContain(
        "allow \"User:belltower.probe.eu\" to read literal topic belltower.check-requests.eu"
      )
      expect(yield* databasesOf(folder)).toEqual([])
    }))

  it.scopedLive("of a probe is rejected with the secret of the servers, without an identity, and with that of another region", () =>
    Effect.gen(function*() {
      const kafka = { KAFKA_BROKERS: "127.0.0.1:9" }
      const probe = (env: Readonly<Record<string, string>>, folder?: string) =>
        refusal({ args: ["probe"], env: { ...kafka, ...env }, ...(folder === undefined ? {} : { folder }) })
      const withSecret = yield* probe({ BELLTOWER_SECRET: testSecret })
      expect(withSecret).toContain("BELLTOWER_SECRET is not for probes: it opens the secrets of all workspaces. Remove it")
      expect(withSecret).not.toContain(testSecret)
      expect(yield* probe({})).toContain("This probe is not enrolled yet. Set BELLTOWER_PROBE_TOKEN to the output of")
      const wrong = yield* probe({ BELLTOWER_PROBE_TOKEN: "no-token-at-all" })
      expect(wrong).toContain("BELLTOWER_PROBE_TOKEN is not what belltower probe-token has printed")
      expect(wrong).not.toContain("no-token-at-all")

      const folder = yield* newFolder
      const file = join(folder, "data", "probe.json")
      yield* Effect.promise(() => mkdir(join(folder, "data")))
      yield* Effect.promise(() => writeFile(file, JSON.stringify(testIdentity("eu"))))
      const [id, secret, installation] = ["prt_1", "a".repeat(43), "b".repeat(43)]
      expect(yield* probe({ BELLTOWER_REGION: "us" }, folder)).toContain(
        "BELLTOWER_REGION is us, but this probe was enrolled for the region eu"
      )
      expect(yield* probe({ BELLTOWER_PROBE_TOKEN: `${id}.${secret}.${installation}` }, folder)).toContain(
        "BELLTOWER_PROBE_TOKEN is of another installation than"
      )
      yield* Effect.promise(() => writeFile(file, JSON.stringify({ ...testIdentity("eu"), revoked: true })))
      expect(yield* probe({}, folder)).toContain("The probe prb_eu was revoked. To enrol it again, delete")
      yield* Effect.promise(() => writeFile(file, "{}"))
      expect(yield* probe({}, folder)).toContain("probe.json is damaged. Delete it, and give the probe a new token")
    }))

  it.scopedLive("with an unreachable database is rejected without revealing its password", () =>
    Effect.gen(function*() {
      const port = yield* freePort
      const line = yield* refusal({ env: { DATABASE_URL: `postgresql://me:pa55word@127.0.0.1:${port}/belltower` } })
      expect(line).toContain(`Cannot connect to the database: connect ECONNREFUSED 127.0.0.1:${port}`)
      expect(line).not.toContain("pa55word")
    }))

  it.scopedLive("with an unusable data folder is rejected", () =>
    Effect.gen(function*() {
      const folder = yield* newFolder
      const file = join(folder, "file")
      yield* Effect.promise(() => writeFile(file, ""))
      expect(yield* refusal({ folder, env: { BELLTOWER_DATA_DIR: join(file, "data") } })).toContain(join(file, "data"))

      const closed = join(folder, "closed")
      yield* Effect.promise(() => mkdir(closed))
      yield* Effect.promise(() => chmod(closed, 0o555))
      const nobody = process.getuid?.() === 0 ? { uid: 65_534 } : {}
      const line = yield* refusal({ folder, env: { BELLTOWER_DATA_DIR: join(closed, "data") }, ...nobody })
      expect(line).toMatch(/EACCES|permission denied/)
    }))

  it.scopedLive("on a port in use is rejected", () =>
    Effect.gen(function*() {
      const port = yield* portInUse
      const said = (setting: string) =>
        `belltower: Cannot listen at 127.0.0.1:${port}: the port is in use. Stop the other process, or set ${setting} to a free port`
      expect(yield* refusal({ env: { PORT: String(port) } })).toBe(said("PORT"))
      const { stderr } = yield* runProgram({
        folder: yield* newFolder,
        env: { PORT: "0", BELLTOWER_HOST: "127.0.0.1", BELLTOWER_METRICS_PORT: String(port) }
      })
      expect(stderr.trim()).toBe(said("BELLTOWER_METRICS_PORT"))
    }))

  it.scopedLive(
    "on a folder that another Belltower uses is rejected, and does not disturb that one",
    () =>
      Effect.gen(function*() {
        const first = yield* freshProgram()
        const port = yield* freePort
        const second = yield* runProgram({ folder: first.folder, env: { PORT: String(port) } })
        expect(second).toMatchObject({ code: 1, stdout: "" })
        expect(second.stderr).toMatch(/^belltower: Another Belltower is using the database in [^\n]+\n$/)
        const ready = yield* Effect.promise(() => fetch(`${first.baseUrl}/readyz`))
        expect(ready.status).toBe(200)
      })
  )
})
