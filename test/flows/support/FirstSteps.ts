/** What docs/reference-architectures.md tells an operator to do first, done at a cluster that runs. */
import { Array as Arr, Effect } from "effect"
import { execFile } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Client } from "pg"
import { newFolder } from "./Program.ts"
import type { Stage } from "./Stage.ts"

const root = join(import.meta.dirname, "../../..")

/** The commands of the incidents, each once; those that go on in the next line are one. */
const commandsOfDocument = (): ReadonlyArray<string> => {
  const document = readFileSync(join(root, "docs/reference-architectures.md"), "utf8")
  const incidents = document.slice(document.indexOf("## First steps"))
  const blocks = [...incidents.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text)
  return [...new Set(blocks.flatMap((text) => text.replaceAll("|\n  ", "| ").trim().split("\n")))]
}

interface Typed {
  readonly command: string
  readonly code: number
  readonly output: string
}

const typed = (command: string, env: Readonly<Record<string, string>>) =>
  Effect.async<Typed>((resume) => {
    // A command that hangs is named by what it printed, instead of by the end of the whole story.
    const options = { cwd: root, env: { ...process.env, ...env }, encoding: "utf8", timeout: 60_000 } as const
    execFile("sh", ["-c", command], options, (error, stdout, stderr) =>
      resume(Effect.succeed({
        command,
        code: error === null ? 0 : typeof error.code === "number" ? error.code : -1,
        output: `${stdout}${stderr}`
      })))
  })

/** A folder with the program under the name that the document gives it. */
const programFolder = Effect.map(newFolder, (folder) => {
  const bin = join(folder, "bin")
  mkdirSync(bin)
  writeFileSync(join(bin, "belltower"), `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist/belltower.js")}" "$@"\n`)
  chmodSync(join(bin, "belltower"), 0o755)
  return bin
})

/** Types all of them, with the settings of the cluster's servers, and what is for a probe with those of one. */
export const takeFirstSteps = Effect.fn("takeFirstSteps")(function*({ cluster, regionIds, runner }: Stage) {
  const [probe] = cluster.probes[regionIds[0] ?? ""] ?? []
  const env = {
    ...cluster.settings,
    PATH: `${yield* programFolder}:${process.env["PATH"] ?? ""}`,
    BELLTOWER_URL: cluster.baseUrl,
    BELLTOWER_DATA_DIR: yield* newFolder,
    PORT: new URL(cluster.baseUrl).port,
    RUNNER: runner(1).baseUrl,
    PROBE: probe?.baseUrl ?? ""
  }
  const ofProbe = {
    ...env,
    BELLTOWER_DATA_DIR: probe?.dataDir ?? "",
    PORT: new URL(env.PROBE).port,
    BELLTOWER_REGION: "",
    BELLTOWER_SECRET: "",
    DATABASE_URL: ""
  }
  const type = (command: string) => typed(command, command.endsWith("--role probe") ? ofProbe : env)
  const [others, doctors] = Arr.partition(commandsOfDocument(), (command) => command.startsWith("belltower doctor"))
  // Each check of a doctor has 5 s, which is little while other programs start.
  return [...yield* Effect.forEach(others, type, { concurrency: 4 }), ...yield* Effect.forEach(doctors, type)]
})

/** The connections of the cluster's servers by what they say that they are for. */
export const connectionsOf = (databaseUrl: string) =>
  Effect.promise(async () => {
    const client = new Client({ connectionString: databaseUrl, application_name: "count" })
    await client.connect()
    const { rows } = await client.query<{ readonly name: string; readonly count: number }>(
      "select regexp_replace(application_name, ' runner .*', ' runner') as name, count(*)::int from pg_stat_activity " +
        "where application_name like 'belltower%' and application_name not like '%doctor%' group by 1"
    )
    await client.end()
    return new Map(rows.map(({ count, name }) => [name, count]))
  })
