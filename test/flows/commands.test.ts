/** The operator's commands as people run them: help, the settings in effect, and the doctor beside a program that runs. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { helpOf, usage } from "../../src/domain/program/CommandHelp.ts"
import { testSecret } from "../support/program/TestInstallation.ts"
import { freshProgram, newFolder, runProgram } from "./support/Program.ts"

const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(newFolder, (folder) => runProgram({ folder, args, env }))

describe("the program", () => {
  it.scopedLive("explains its commands, and refuses what is none", () =>
    Effect.gen(function*() {
      const [all, ofCommand, unknown, extra] = yield* Effect.forEach(
        [["--help"], ["invite", "-h"], ["help", "doctr"], ["api", "--verbose"]],
        (args) => run(args),
        { concurrency: 2 }
      )
      expect([all?.code, all?.stdout]).toEqual([0, `${usage}\n`])
      expect(ofCommand?.stdout).toBe(`${helpOf("invite")}\n`)
      expect([unknown?.code, unknown?.stderr]).toEqual([1, expect.stringContaining("\"doctr\"; did you mean doctor?")])
      expect([extra?.code, extra?.stderr]).toEqual([1, expect.stringContaining("Unknown argument \"--verbose\". Usage: ")])
    }))

  it.scopedLive("shows its settings, and ends with 1 if they are wrong", () =>
    Effect.gen(function*() {
      const right = yield* run(["config"], { BELLTOWER_SECRET: testSecret })
      expect([right.code, right.stderr]).toEqual([0, ""])
      expect(right.stdout).toMatch(/^BELLTOWER_SECRET +\(hidden\) +environment$/m)
      const wrong = yield* run(["config", "--role", "api", "--json"], { PORT: "abc", BELLTOWER_SECRET: testSecret })
      const { problems } = JSON.parse(wrong.stdout)
      expect([wrong.code, problems.length, `${right.stdout}${wrong.stdout}`.includes(testSecret)]).toEqual([1, 3, false])
    }))
})

describe("the doctor", () => {
  it.scopedLive("looks at the built-in database of a program that runs, and at its port", () =>
    Effect.gen(function*() {
      const program = yield* freshProgram()
      const env = { PORT: new URL(program.baseUrl).port, BELLTOWER_HOST: "127.0.0.1", BELLTOWER_RDAP_URL: "https://127.0.0.1" }
      const { code, stderr, stdout } = yield* runProgram({ folder: program.folder, args: ["doctor", "--json"], env })
      const { findings }: { findings: ReadonlyArray<{ check: string; state: string; found: string }> } = JSON.parse(stdout)
      const states = Object.fromEntries(findings.map(({ check, state }) => [check, state]))
      expect(states).toMatchObject({
        ...{ settings: "ok", database: "ok", migrations: "ok", secret: "ok", notifications: "ok", durability: "ok", port: "ok" },
        ...{ "database rights": "ok", kafka: "skipped", mail: "skipped" }
      })
      expect(findings.find(({ check }) => check === "port")?.found).toContain("A process of Belltower serves on 127.0.0.1:")
      expect([code, stderr]).toEqual([findings.some(({ state }) => state === "failed") ? 1 : expect.any(Number), ""])
      // The program goes on without it, and would not start again.
      yield* Effect.promise(() => rm(join(program.folder, "data", "secret")))
      const { stdout: later } = yield* runProgram({ folder: program.folder, args: ["doctor"], env })
      expect(later).toMatch(/^failed +secret +\S*data\/secret is gone, and the database is sealed with it\n +-> Restore it/m)
    }))

  it.scopedLive("ends with 1 and says what to do where nothing works", () =>
    Effect.gen(function*() {
      const env = {
        DATABASE_URL: "postgres://bell:hunter22hunter22@127.0.0.1:9/x",
        PORT: "0",
        BELLTOWER_RDAP_URL: "https://127.0.0.1"
      }
      const { code, stdout } = yield* run(["doctor"], env)
      expect([code, stdout.includes("hunter22")]).toEqual([1, false])
      expect(stdout).toMatch(/^failed +database +.*ECONNREFUSED.*\n +-> Check DATABASE_URL/m)
      expect(stdout).toMatch(/\nFailed: \d+, warnings: \d+, ok: \d+, skipped: \d+\n$/)
    }))
})
