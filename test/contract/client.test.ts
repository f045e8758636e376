/** Compiles a program against the typed client generated from the OpenAPI document; a wrong program does not compile. */
import { join } from "node:path"
import openapiTS, { astToString } from "openapi-typescript"
import ts from "typescript"
import { describe, expect, it } from "vitest"
import { runSteps } from "../../src/domain/tools/Steps.ts"
import { openApiSteps } from "../../src/http/openapi/OpenApiDocument.ts"

const program = `
import createClient from "openapi-fetch"
import type { components, operations, paths } from "./belltower.ts"

const client = createClient<paths>({ baseUrl: "https://belltower.test", headers: { authorization: "Bearer key" } })

export const watch = async (url: string): Promise<components["schemas"]["Monitor"]> => {
  const { data, error } = await client.POST("/api/v1/monitors", {
    body: { name: "Shop", url, intervalSec: 60, assertions: [{ source: "latency", op: "lt", value: 800 }] },
    params: { header: { "Idempotency-Key": "shop" } }
  })
  if (error !== undefined) throw new Error(\`\${error.error.code}: \${error.error.message}\`)
  return data
}

export const failures = async (id: string) => {
  const { data } = await client.GET("/api/v1/monitors/{id}/checks", {
    params: { path: { id }, query: { outcome: "down", limit: 20 } }
  })
  return data?.data.map(({ at, cause, region }): [string, string | null, string] => [at, cause, region])
}

export const stopped: operations["delete_monitor"]["responses"][200]["content"]["application/json"] = { id: "mon_1", deleted: true }
`

const wrong = `
import createClient from "openapi-fetch"
import type { paths } from "./belltower.ts"

const client = createClient<paths>({ baseUrl: "https://belltower.test" })
export const noName = client.POST("/api/v1/monitors", { body: { url: "https://shop.example.com/" } })
export const noSuchState = client.GET("/api/v1/monitors", { params: { query: { state: "broken" } } })
export const noSuchPath = client.GET("/api/v1/monitor")
`

/** Virtual files in this folder, so that packages resolve; nothing is written. */
const here = import.meta.dirname

const compile = (files: Readonly<Record<string, string>>) => {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: []
  }
  const virtual = new Map(Object.entries(files).map(([name, text]) => [join(here, name), text]))
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile } = host
  host.fileExists = (name) => virtual.has(name) || fileExists(name)
  host.readFile = (name) => virtual.get(name) ?? readFile(name)
  const made = ts.createProgram([...virtual.keys()], options, host)
  return ts.getPreEmitDiagnostics(made).map(({ file, messageText, start }) => ({
    line: file === undefined || start === undefined ? "" : file.text.slice(0, start).split("\n").length,
    message: ts.flattenDiagnosticMessageText(messageText, "\n")
  }))
}

describe("the typed client", () => {
  it("compiles a correct program and rejects a wrong one", async () => {
    const document = JSON.stringify(runSteps(openApiSteps("https://belltower.test")))
    const types = astToString(await openapiTS(document))
    const found = compile({ "belltower.ts": types, "program.ts": program, "wrong.ts": wrong })
    expect(found.map(({ line }) => line), JSON.stringify(found, null, 2)).toEqual([6, 7, 8])
  })
})
