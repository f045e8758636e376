// Generates the typed TypeScript client from the OpenAPI document: `npm run build:client`, or with a folder to write to; default
// dist/client.
import { build } from "esbuild"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import openapiTS, { astToString } from "openapi-typescript"
import ts from "typescript"

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, "../..")
const out = resolve(process.argv[2] ?? join(root, "dist/client"))

/** The document comes from the sources, so no program has to run. It is bundled inside the repository, where packages resolve. */
const documentOf = async () => {
  const file = join(root, `dist/openapi-${process.pid}.mjs`)
  await build({
    stdin: {
      contents: `import { runSteps } from "./src/domain/tools/Steps.ts"
        import { openApiSteps } from "./src/http/openapi/OpenApiDocument.ts"
        export const document = runSteps(openApiSteps("https://belltower.example"))`,
      resolveDir: root
    },
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile: file,
    logLevel: "error"
  })
  try {
    return (await import(pathToFileURL(file).href)).document
  } finally {
    rmSync(file, { force: true })
  }
}

/** Reading the log backwards and following it are two things: without `after`, `next` does not lead to the next page. */
const unpaged = new Set(["list_events"])

const rowOf = (path, method, operation) => {
  const names = operation.parameters.filter((one) => one.in === "query").map(({ name }) => name)
  return [operation.operationId, {
    method: method.toUpperCase(),
    path,
    query: names,
    idempotent: operation.parameters.some(({ $ref }) => $ref === "#/components/parameters/IdempotencyKey"),
    cursor: unpaged.has(operation.operationId) ? null : names.find((name) => name === "after" || name === "before") ?? null
  }]
}

const document = await documentOf()
const rows = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => rowOf(path, method, operation))
)
// The types of webhooks are under the names of their operations, too; they are nothing to call.
const { webhooks: _, ...callable } = document
const schema = astToString(await openapiTS(JSON.stringify(callable)))
const index = `/** The client of the Belltower API, generated from its OpenAPI document. */
import { type ClientOf, type ClientOptions, makeClient } from "./runtime.js"
import type { operations } from "./schema.js"

export { type AnswerOf, BelltowerError, type CallOptions, type ClientOptions, type InputOf } from "./runtime.js"
export type { components, operations } from "./schema.js"

const table = ${JSON.stringify(Object.fromEntries(rows), null, 2)}

export type Belltower = ClientOf<operations>

export const createClient = (options: ClientOptions): Belltower => makeClient<operations>(table, options)
`

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
const sources = { "schema.ts": schema, "runtime.ts": readFileSync(join(here, "runtime.ts"), "utf8"), "index.ts": index }
for (const [name, text] of Object.entries(sources)) writeFileSync(join(out, name), text)
writeFileSync(
  join(out, "package.json"),
  JSON.stringify(
    { name: "belltower-client", version: document.info.version, type: "module", main: "index.js", types: "index.d.ts" },
    null,
    2
  )
)
const program = ts.createProgram([join(out, "index.ts")], {
  strict: true,
  declaration: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  types: []
})
const { diagnostics } = program.emit()
const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics]
if (problems.length > 0) {
  console.error(
    ts.formatDiagnostics(problems, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => out,
      getNewLine: () => "\n"
    })
  )
  process.exit(1)
}
console.log(`Wrote the client of ${rows.length} operations to ${out}`)
