/** A new user's path: start, the commands of the banner, the status page, and Ctrl-C. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { clientOf, request } from "./support/Client.ts"
import { linkOf, openedBy } from "./support/OpenedBy.ts"
import { awaited, databasesOf, newFolder, spawnProgram, startProgram } from "./support/Program.ts"
import { newTarget } from "./support/Target.ts"

/** The commands of the banner, each with its continuation lines. */
const commandsOf = (banner: string): ReadonlyArray<string> =>
  banner.slice(banner.indexOf("Try next:"), banner.indexOf("Then open"))
    .split(/\n\s*\n/)
    .slice(1)
    .map((command) => command.split("\n").filter((line) => line.startsWith("    ")).join("\n"))
    .filter((command) => command !== "")

const separator = "== next =="

/** The output of each command, all typed into one shell. */
const typed = (commands: ReadonlyArray<string>) =>
  Effect.async<ReadonlyArray<string>>((resume) => {
    const script = commands.join(`\necho; echo '${separator}'\n`)
    execFile("sh", ["-e", "-c", script], { encoding: "utf8" }, (error, stdout, stderr) =>
      resume(
        error === null
          ? Effect.succeed(stdout.split(`\n${separator}\n`))
          : Effect.dieMessage(`The shell failed: ${error.message} ${stderr}`)
      ))
  })

describe("a new user", () => {
  it.scopedLive(
    "is led by the banner from nothing to a monitor on a status page, and stops the program with Ctrl-C",
    () =>
      Effect.gen(function*() {
        const target = yield* newTarget
        const program = yield* startProgram({ folder: yield* newFolder })
        expect((yield* request(`${program.baseUrl}/readyz`)).body).toEqual({ ready: true })
        expect((yield* request(`${program.baseUrl}/healthz`)).body).toEqual({ alive: true })
        expect(yield* databasesOf(program.folder)).toHaveLength(process.platform === "linux" ? 1 : 0)

        const banner = program.stdout()
        const commands = commandsOf(banner)
        expect(commands).toHaveLength(3)
        // Replaces the only external URL by a local one.
        const [, made = "", log = ""] = yield* typed(
          commands.map((command) => command.replace("https://example.com/", target.url))
        )
        const { component, monitor, page } = JSON.parse(made)
        expect(monitor).toMatchObject({ name: "Example", kind: "http", url: target.url, state: "pending", intervalSec: 60 })
        expect(component).toMatchObject({ name: "Example", monitorIds: [monitor.id], pageId: page.id })
        expect(JSON.parse(log).data.map((event: { readonly type: string }) => event.type)).toContain("monitor.created")

        expect(banner).toContain(page.url)
        const there = program.baseUrl + new URL(page.url).pathname
        const shown = yield* awaited(request(there), ({ text }) => text.includes("All systems operational"))
        expect([shown.status, shown.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
        expect(shown.text).toContain("Example")
        const json = yield* clientOf(program.baseUrl).get(`/public/pages/${page.slug}`)
        expect(json.body).toMatchObject({ status: "operational", components: [{ name: "Example", status: "operational" }] })

        const link = linkOf(banner)
        const opened = yield* Effect.promise(() => openedBy(link))
        expect(opened.text).toContain("Watch your first address")
        expect((yield* Effect.promise(() => openedBy(link))).cookie).toBe("")

        yield* program.signal("SIGINT", "group")
        const { code, signal, stderr, stdout } = yield* program.ended
        expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: "" })
        expect(stdout).toBe(banner)
        expect(yield* databasesOf(program.folder)).toEqual([])
      })
  )

  it.scopedLive("may press Ctrl-C while the database is still being created, and start again", () =>
    Effect.gen(function*() {
      const folder = yield* newFolder
      const first = yield* spawnProgram({ folder })
      yield* awaited(Effect.sync(() => existsSync(join(folder, "data", "secret"))), (begun) => begun)
      yield* first.signal("SIGINT", "group")
      const { code, stderr, stdout } = yield* first.ended
      expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: "", stdout: "" })
      expect(yield* databasesOf(folder)).toEqual([])
      const second = yield* startProgram({ folder, env: { BELLTOWER_URL: "https://status.example.com" } })
      expect((yield* request(`${second.baseUrl}/readyz`)).status).toBe(200)
      // Strangers may read what a public server prints.
      expect(second.stdout()).not.toContain("/auth/link/")
    }))
})
