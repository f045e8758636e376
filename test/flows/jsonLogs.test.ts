/** With JSON logs, every line that the program writes is a JSON object, from its start to its end, however it ends. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { freePort } from "../support/network/FreePort.ts"
import { type Ending, freshProgram, newFolder, runProgram, startProgram } from "./support/Program.ts"

const json = { BELLTOWER_LOG_FORMAT: "json" }

const parse = (line: string): unknown => JSON.parse(line)

/** The lines that are no JSON objects with a message. */
const strange = ({ stderr, stdout }: Pick<Ending, "stderr" | "stdout">) =>
  `${stdout}\n${stderr}`.split("\n").filter((line) => line !== "").filter((line) => {
    try {
      const value = parse(line)
      return typeof value !== "object" || value === null || !("message" in value)
    } catch {
      return true
    }
  })

it.scopedLive("from the start to the end of a server, without the link that signs people in", () =>
  Effect.gen(function*() {
    const folder = yield* newFolder
    const program = yield* startProgram({ folder, env: { ...json, BELLTOWER_LOG_LEVEL: "debug", BELLTOWER_UNKNOWN: "1" } })
    yield* program.signal("SIGTERM")
    const ending = yield* program.ended
    expect(ending.code).toBe(0)
    expect(strange(ending)).toEqual([])
    expect(ending.stdout).toContain(`Belltower is ready at http://localhost:`)
    expect(ending.stdout).toContain("BELLTOWER_UNKNOWN")
    expect(ending.stdout).not.toContain("/auth/link/")
  }))

it.scopedLive("of a refused setting, an unknown command, an address that is elsewhere and an unreachable database, each once", () =>
  Effect.gen(function*() {
    const folder = yield* newFolder
    const port = yield* freePort
    const starts = [
      { env: { PORT: "abc" } },
      { args: ["serve"] },
      { args: ["runner"] },
      { args: ["remove-region"] },
      { env: { BELLTOWER_HOST: "203.0.113.5" } },
      { env: { DATABASE_URL: `postgresql://nobody@127.0.0.1:${port}/none`, PORT: "0" }, args: ["sign-in-link", "nobody"] }
    ]
    for (const { args = [], env = {} } of starts) {
      const ending = yield* runProgram({ folder, args, env: { ...json, ...env } })
      expect(ending.code).toBe(1)
      expect(ending.stderr).toContain("\"logLevel\":\"FATAL\"")
      expect([args, `${ending.stdout}${ending.stderr}`.split("\"logLevel\":\"FATAL\"").length]).toEqual([args, 2])
      expect([args, strange(ending)]).toEqual([args, []])
    }
  }))

/** Runs in the program before it: a signal makes it warn, another one makes it crash. */
const saboteur = `data:text/javascript,${
  encodeURIComponent(
    "process.on('SIGUSR2', () => { process.emitWarning('Something is old'); setTimeout(() => { throw new Error('It broke') }) })"
  )
}`

it.scopedLive("of a warning of Node and of a crash", () =>
  Effect.gen(function*() {
    const program = yield* freshProgram({ ...json, NODE_OPTIONS: `--import ${saboteur}` })
    yield* program.signal("SIGUSR2")
    const ending = yield* program.ended
    expect(ending.code).toBe(1)
    expect(strange(ending)).toEqual([])
    expect(ending.stderr).toContain("Something is old")
    expect(ending.stderr).toContain("It broke")
  }))
