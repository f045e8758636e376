// Starts Belltower with local targets that fail on schedule and 90 days of made-up history. Usage: npm run demo [port]
import { spawn } from "node:child_process"
import { mkdirSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { runBundled } from "../bundle.mjs"
import { nodeEnvironment, nodeFlags } from "../runtime.mjs"
import { makeCall, printedLink, signIn } from "./signIn.mjs"
import { setFailing, startTargets } from "./targets.mjs"
import { fillWorkspace } from "./workspace.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "../..")
const belltower = join(root, "dist/belltower.js")

const say = (text) => console.log(`demo: ${text}`)

/** Starts the program; resolves once it is ready, with the sign-in link that a new server prints. */
const startServer = (env) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...nodeFlags, belltower], { env, stdio: ["ignore", "pipe", "inherit"] })
    let said = ""
    child.stdout.on("data", (chunk) => {
      said += chunk
      if (!said.includes("API reference:")) return
      child.stdout.removeAllListeners("data").on("data", (more) => process.stdout.write(more))
      resolve({ child, link: /http\S+\/auth\/link\/\S+/.exec(said)?.[0] ?? null })
    })
    child.once("exit", (code) => reject(new Error(`belltower ended with ${code}: ${said}`)))
  })

const stop = (child) =>
  new Promise((resolve) => {
    child.removeAllListeners("exit").once("exit", resolve)
    child.kill("SIGTERM")
  })

/** Pings the heartbeats; the invoice run misses every third ping. */
const sendPings = (urls) => {
  let turn = 0
  const send = () => {
    turn++
    for (const [name, url] of Object.entries(urls)) {
      if (name === "invoices" && turn % 9 < 4) continue
      const ping = (suffix, body) => fetch(`${url}${suffix}`, { method: "POST", body })
      ping("/start", "").then(() => ping("/0", `Copied ${200 + turn} files`)).catch(() => {})
    }
  }
  send()
  setInterval(send, 60_000).unref()
}

/**
 * Starts the demo with its data under `folder`, which starts over: its targets have new ports. `days`: whether with history.
 * `settings`: further settings of the program.
 */
export const startDemo = async ({ folder, port, days = true, settings = {} }) => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const ports = await startTargets()
  const sink = createServer((request, response) => {
    request.resume()
    response.writeHead(204).end()
  })
  await new Promise((resolve) => sink.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://localhost:${port}`
  const env = {
    ...nodeEnvironment,
    ...process.env,
    PORT: String(port),
    BELLTOWER_DATA_DIR: folder,
    BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8",
    BELLTOWER_RDAP_URL: `http://127.0.0.1:${ports.webPort}`,
    ...settings
  }
  const first = await startServer(env)
  const call = makeCall(baseUrl, await signIn(first.link))
  const { user, workspace } = await call("GET", "/me")
  const { monitors, pages } = await fillWorkspace(call, ports, `http://127.0.0.1:${sink.address().port}/`, say)
  const pings = {}
  for (const name of ["backup", "invoices"]) pings[name] = (await call("GET", `/monitors/${monitors[name]}`)).pingUrl
  let { child } = first
  if (days) {
    await stop(child)
    const database = spawn(process.execPath, [...nodeFlags, belltower, "database"], { env, stdio: ["ignore", "pipe", "inherit"] })
    await new Promise((resolve) => database.stdout.once("data", resolve))
    await runBundled("infra/demo/History.ts", [folder, workspace.id])
    await stop(database)
    child = (await startServer(env)).child
  }
  sendPings(pings)
  return {
    baseUrl,
    child,
    monitors,
    pages,
    setFailing,
    link: () => printedLink(env, user.id),
    close: async () => {
      await stop(child)
      sink.close()
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const port = Number(process.argv[2] ?? 8080)
  say("making up a company with 90 days of history; this takes about half a minute")
  const demo = await startDemo({ folder: join(root, "data/demo"), port })
  const signInLink = await demo.link()
  console.log(`
  The demo is ready. Open the dashboard (once, within 15 minutes):

    ${signInLink}

  Status pages, one in each preset:

${demo.pages.map(({ url }) => `    ${url}`).join("\n")}

  Checkout fails for two of every seven minutes, and Search is slow for one of every five. Ctrl-C stops everything.
`)
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => demo.close().then(() => process.exit(0)))
}
