/**
 * Checks the running program against its own OpenAPI document with tools that know nothing of the code: Schemathesis sends generated
 * requests, and Spectral and Redocly lint the document. `node infra/contract.mjs <schemathesis> <spectral> <redocly>`, each a command;
 * `-` leaves one out.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { seed } from "./contract/seed.mjs"
import { nodeFlags } from "./runtime.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const [schemathesis = "-", spectral = "-", redocly = "-"] = process.argv.slice(2)

/**
 * A bounded number of cases and a seed, so that each run tries the same. With a time limit, faster machines would try more. A request for
 * a drill waits for its end for up to 25 s.
 */
const run = ["--phases", "examples,coverage,fuzzing", "--max-examples", "6", "--seed", "1", "--request-timeout", "40"]

/** The first two would take the run's own access away; the last one waits longer than Schemathesis does. */
const excluded = ["delete_workspace", "revoke_api_key", "wait_for_monitor"]

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address()
  server.close()
  await once(server, "close")
  return port
}

const start = async (folder) => {
  const port = await freePort()
  const program = spawn(process.execPath, [...nodeFlags, join(here, "../dist/belltower.js")], {
    cwd: folder,
    env: { ...process.env, PORT: String(port), BELLTOWER_HOST: "127.0.0.1", BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" },
    stdio: ["ignore", "ignore", "inherit"]
  })
  const base = `http://127.0.0.1:${port}`
  // It yields to the tests beside it, and may need a minute of a slow machine.
  for (let attempt = 0; attempt < 360; attempt++) {
    const isReady = await fetch(`${base}/readyz`).then(({ ok }) => ok, () => false)
    if (isReady) return { base, program }
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  program.kill()
  throw new Error("The program did not become ready within three minutes")
}

/**
 * Whether a tool succeeds. It writes its caches to the folder of the run. Its output is shown if it fails; else the number of
 * its cases.
 */
const passes = async (command, given, environment = {}) => {
  const tool = spawn(command, given, { cwd: folder, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...environment } })
  const parts = []
  for (const stream of [tool.stdout, tool.stderr]) stream.on("data", (part) => parts.push(part))
  const [code] = await once(tool, "close")
  const output = Buffer.concat(parts).toString()
  const shown = code === 0 ? /\d+ generated, .*/.exec(output)?.[0] : output
  if (shown !== undefined) console.log(shown)
  return code === 0
}

/** The exit of a tool that lints the document; its command may have arguments of its own. */
const lints = (tool, given) => {
  const [command, ...before] = tool.split(" ")
  return passes(command, [...before, "lint", ...given], { REDOCLY_TELEMETRY: "off" })
}

const folder = mkdtempSync(join(tmpdir(), "belltower-contract-"))
// The embedded database runs as another user when this runs as root.
chmodSync(folder, 0o755)
const { base, program } = await start(folder)
const results = []
let stop = () => {}
try {
  const document = await (await fetch(`${base}/api/v1/openapi.json`)).text()
  const file = join(folder, "openapi.json")
  writeFileSync(file, document)
  const entered = await fetch(`${base}/api/v1/agent/bootstrap`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ agentName: "contract" })
  })
  const born = await entered.json()
  if (spectral !== "-") {
    results.push(await lints(spectral, [file, "--ruleset", join(here, "spectral.yaml"), "--fail-severity", "warn"]))
  }
  if (redocly !== "-") {
    results.push(await lints(redocly, [file, "--config", join(here, "redocly.yaml"), "--max-problems", "1000"]))
  }
  if (schemathesis !== "-") {
    const exclusions = excluded.flatMap((id) => ["--exclude-operation-id", id])
    const given = ["--config-file", join(here, "schemathesis.toml"), "run", `${base}/api/v1/openapi.json`]
    const options = [
      "--header",
      `Authorization: Bearer ${born.apiKey}`,
      ...run,
      ...exclusions,
      "--no-shrink",
      // A long list of operations whose generated ids exist nowhere; the failures would be far above it.
      "--warnings",
      "off",
      "--generation-database",
      "none"
    ]
    const seeded = await seed(base, born)
    for (const what of seeded.missing) console.warn(`Not seeded: ${what}`)
    const seedFile = join(folder, "seed.json")
    writeFileSync(seedFile, JSON.stringify(seeded))
    const environment = {
      SCHEMATHESIS_HOOKS: join(here, "contract/hooks.py"),
      PYTHONDONTWRITEBYTECODE: "1",
      BELLTOWER_SEED: seedFile
    }
    results.push(await passes(schemathesis, [...given, ...options, "--continue-on-failure", "--no-color"], environment))
    stop = seeded.stop
  }
} finally {
  stop()
  const ended = once(program, "exit")
  program.kill()
  await ended
  rmSync(folder, { recursive: true, force: true })
}
if (results.includes(false)) process.exitCode = 1
