/** The commands and files that the documents and the workflow show, run as a reader runs them. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile, spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { freshProgram, newFolder } from "./support/Program.ts"
import { newTarget } from "./support/Target.ts"

const root = join(import.meta.dirname, "../..")
const read = (path: string) => readFileSync(join(root, path), "utf8")
const documents = ["README.md", "docs/operations.md", "docs/workspace-file.md"].map(read)

/** The code blocks of a language; without one, those that name none. */
const blocks = (language: string): ReadonlyArray<string> =>
  documents.flatMap((text) => [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]).flatMap(([, name, text = ""]) =>
    name === language ? [text] : []
  )

interface Typed {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const typed = (script: string, env: Readonly<Record<string, string>> = {}) =>
  Effect.async<Typed>((resume) => {
    execFile(
      "sh",
      ["-e", "-c", script],
      { cwd: root, env: { ...process.env, ...env }, encoding: "utf8" },
      (error, stdout, stderr) =>
        resume(Effect.succeed({ code: error === null ? 0 : typeof error.code === "number" ? error.code : 1, stdout, stderr }))
    )
  })

describe("the documents", () => {
  it("have shell lines that a shell can read", () => {
    expect(blocks("sh").length).toBeGreaterThan(3)
    for (const block of blocks("sh")) expect(spawnSync("sh", ["-n", "-c", block], { encoding: "utf8" }).stderr).toBe("")
  })

  const hasCaddy = spawnSync("caddy", ["version"]).status === 0
  it.scopedLive.skipIf(!hasCaddy)("have a Caddyfile that Caddy accepts", () =>
    Effect.gen(function*() {
      const [caddyfile = ""] = blocks("")
      expect(caddyfile).toContain("on_demand_tls")
      const path = join(yield* newFolder, "Caddyfile")
      writeFileSync(path, caddyfile)
      const { code, stderr } = yield* typed(`caddy adapt --adapter caddyfile --config ${path}`)
      expect(code, stderr).toBe(0)
    }))

  it.scopedLive(
    "have ten lines of curl that make a service with a monitor and a page, and a file that applies",
    () =>
      Effect.gen(function*() {
        const target = yield* newTarget
        const { baseUrl } = yield* freshProgram()
        const curls = blocks("sh").find((block) => block.startsWith("B=")) ?? ""
        const lines = curls.replace("http://localhost:8080", baseUrl).replace("https://example.com/", target.url)
          // The last listens for new events, which this reader does not await.
          .replace("--max-time 20", "--max-time 1").replace(/^(curl -sN .*?)(\s+#.*)?$/m, "$1 || test $? -eq 28")
        const { code, stderr, stdout } = yield* typed(`${lines}\necho; echo "key=$KEY"`)
        expect(stderr).toBe("")
        expect(code).toBe(0)
        expect(stdout).not.toContain("{\"error\":")
        for (const shown of ["\"name\":\"Example\"", "monitor.created", "\"name\":\"Acme\""]) expect(stdout).toContain(shown)
        const key = /key=(bell_live_\S+)/.exec(stdout)?.[1] ?? ""

        const folder = yield* newFolder
        writeFileSync(join(folder, "belltower.yaml"), blocks("yaml")[0] ?? "")
        const env = { BELLTOWER_URL: baseUrl, BELLTOWER_API_KEY: key, SLACK_URL: "https://hooks.slack.com/services/T0/B0/x" }
        const command = `node ${join(root, "dist/belltower.js")}`
        const workflow = parse(read("infra/github/belltower.yml"))
        const runs: ReadonlyArray<string> = workflow.jobs.apply.steps.flatMap(({ run }: { readonly run?: string }) => run ?? [])
        expect(runs).toHaveLength(2)
        for (const run of runs) {
          const done = yield* typed(run.replace("/files/", `${folder}/`), { ...env, BELLTOWER: command })
          expect([done.code, done.stderr]).toEqual([0, ""])
        }
        expect((yield* typed(`${command} apply ${folder}/belltower.yaml --check`, env)).code).toBe(0)
        const exported = yield* typed(`${command} export`, env)
        expect(parse(exported.stdout).monitors.map(({ name }: { readonly name: string }) => name)).toEqual(
          expect.arrayContaining(["Example", "Shop"])
        )
      }),
    120_000
  )
})
