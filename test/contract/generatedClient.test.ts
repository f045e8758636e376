/** The client that `npm run build:client` generates: it compiles, calls the running program, repeats safely and follows pages. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import ts from "typescript"
import { ServerAddress } from "../../src/http/server/ServeApp.ts"
import { programOf } from "../support/program/Program.ts"
import type { Json } from "../support/program/TestServer.ts"

const root = join(import.meta.dirname, "../..")

const built = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = await mkdtemp(join(root, "dist/client-test-"))
    await new Promise<void>((resolve, reject) =>
      execFile(
        process.execPath,
        [join(root, "infra/client/build.mjs"), join(folder, "client")],
        (error) => error === null ? resolve() : reject(error)
      )
    )
    await symlink(join(root, "node_modules"), join(folder, "node_modules"))
    return folder
  }),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

const program = `
import { createClient } from "./client/index.js"
const belltower = createClient({ baseUrl: "https://belltower.test", apiKey: "key" })
export const watch = async () => {
  const monitor = await belltower.create_monitor({ name: "Shop", url: "https://shop.example.com/", tags: ["a"] })
  const paused: boolean = (await belltower.update_monitor({ id: monitor.id, paused: true })).paused
  for await (const { id, state } of belltower.each("list_monitors", { state: "up" })) console.log(id, state, paused)
  // @ts-expect-error a monitor needs a name
  await belltower.create_monitor({ url: "https://shop.example.com/" })
  // @ts-expect-error no such state
  await belltower.list_monitors({ state: "broken" })
  // @ts-expect-error not a list
  belltower.each("get_monitor", { id: monitor.id })
}
`

const problemsOf = (file: string) =>
  ts.getPreEmitDiagnostics(ts.createProgram([file], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: []
  })).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))

layer(programOf(), { excludeTestServices: true, timeout: "60 seconds" })("the generated client", (it) => {
  it.scoped("compiles right programs only, and works against the running program", () =>
    Effect.gen(function*() {
      const { host, port } = yield* ServerAddress
      const baseUrl = `http://${host}:${port}`
      const folder = yield* built
      yield* Effect.promise(async () => {
        await writeFile(join(folder, "program.ts"), program)
        expect(problemsOf(join(folder, "program.ts"))).toEqual([])

        const { BelltowerError, createClient }: Json = await import(pathToFileURL(join(folder, "client/index.js")).href)
        const { apiKey } = await createClient({ baseUrl }).bootstrap_workspace({ agentName: "client" })
        // Answers are lost after the server has worked, so that the client repeats what already happened.
        let lost = 0
        const losing = async (url: URL, init: RequestInit) => {
          const response = await fetch(url, init)
          if (init.method === "POST" && lost++ % 2 === 0) throw new TypeError("fetch failed")
          return response
        }
        const belltower = createClient({ baseUrl, apiKey, fetch: losing })
        for (const name of ["One", "Two", "Three"]) {
          expect((await belltower.create_monitor({ name, url: "https://shop.example.com/", paused: true })).name).toBe(name)
        }
        expect(lost).toBe(6)

        const names: Array<string> = []
        for await (const monitor of belltower.each("list_monitors", { limit: 2 })) names.push(monitor.name)
        expect(names).toEqual(["One", "Two", "Three"])

        const [first] = (await belltower.list_monitors({ limit: 1 })).data
        expect((await belltower.update_monitor({ id: first.id, name: "Changed" })).name).toBe("Changed")
        const refused = await belltower.get_monitor({ id: "mon_0" }).catch((error: unknown) => error)
        expect(refused).toBeInstanceOf(BelltowerError)
        expect(refused).toMatchObject({ status: 404, code: "not_found" })
      })
    }), 120_000)

  it.scoped("waits as long as the server asks, and repeats no change that may have happened", () =>
    Effect.gen(function*() {
      const folder = yield* built
      yield* Effect.promise(async () => {
        const { createClient }: Json = await import(pathToFileURL(join(folder, "client/index.js")).href)
        const answers = (statuses: ReadonlyArray<number>) => {
          const sent: Array<RequestInit> = []
          const client = createClient({
            baseUrl: "https://belltower.test/",
            apiKey: "key",
            fetch: (_: URL, init: RequestInit) => {
              const status = statuses[sent.length] ?? 200
              sent.push(init)
              const headers = { "retry-after": "0" }
              const error = { code: "unavailable", message: "Away" }
              return Promise.resolve(
                new Response(JSON.stringify(status === 200 ? { id: "mon_1" } : { error }), { status, headers })
              )
            }
          })
          return { client, sent }
        }
        const limited = answers([429, 503])
        await limited.client.create_monitor({ name: "Shop" })
        const keys = limited.sent.map(({ headers }) => new Headers(headers).get("idempotency-key"))
        expect([keys.length, new Set(keys).size, typeof keys[0]]).toEqual([3, 1, "string"])

        const change = answers([503])
        await expect(change.client.update_channel({ id: "ch_1", rotateSecret: true })).rejects.toMatchObject({ status: 503 })
        expect(change.sent.length).toBe(1)
      })
    }), 120_000)
})
