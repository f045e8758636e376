/**
 * Runs the image that infra/image.mjs has built, as its own user and in a network of its own: the role `all` becomes ready and checks a
 * monitor, the health checks of the Dockerfile and the compose file succeed, a probe without brokers lives, and SIGTERM ends
 * both in time.
 */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parse } from "yaml"

const { buildah, config, container, root } = JSON.parse(readFileSync(process.argv[2], "utf8"))
const compose = parse(readFileSync(join(import.meta.dirname, "../compose.yaml"), "utf8"), { merge: true })
const { healthcheck, stop_grace_period } = compose.services.api
const graceMs = Number.parseInt(stop_grace_period, 10) * 1000

const expect = (isTrue, what) => {
  if (!isTrue) throw new Error(what)
}

/** Starts a command in the image; `ended` resolves with its exit code, `output` returns what it has printed. */
const start = (command, env = {}) => {
  const variables = Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`])
  const [program, ...storage] = buildah
  const run = ["run", "--isolation", "chroot", "--cap-add", "CAP_NET_RAW"]
  return watch(program, [...storage, ...run, ...variables, container, "--", ...command])
}

const imageVariables = () =>
  Object.fromEntries(config.Env.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]))

const watch = (program, args) => {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text))
  const ended = new Promise((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code, signal) => resolve(code ?? signal))
  })
  return { ended, output: () => output }
}

/** Asks until the answer is as wanted, for a minute at most. */
const until = async (what, program, ask) => {
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    const answer = await ask().catch(() => undefined)
    if (answer !== undefined && answer !== false) return answer
    await sleep(100)
  }
  throw new Error(`${what} did not happen. The program said:\n${program.output().slice(-3000)}`)
}

const origin = "http://127.0.0.1:8080"
const isGreen = (path) => () => fetch(origin + path).then(({ ok }) => ok)

const call = async (path, { body, key } = {}) => {
  const response = await fetch(`${origin}/api/v1${path}`, {
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    headers: { "content-type": "application/json", ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) }
  })
  const text = await response.text()
  expect(response.ok, `${path} answered ${response.status}: ${text}`)
  return JSON.parse(text)
}

/**
 * Starts a command in the image's files as a container does whose engine allows namespaces: as the image's user, without any right. What
 * buildah starts has a changed root, where the kernel makes no user namespaces.
 */
const startOpen = (command, env) => {
  const variables = Object.entries({ ...imageVariables(), ...env }).map(([name, value]) => `${name}=${value}`)
  const build = [
    "set -e",
    "mount --rbind \"$1\" \"$1\"",
    "cd \"$1\"",
    "mount -t proc proc proc",
    "mount --rbind /sys sys",
    "mount --rbind /dev dev",
    "mkdir -p old",
    "pivot_root . old",
    "umount -l old",
    "cd /app",
    "shift",
    "exec setpriv --reuid=1000 --regid=1000 --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs env -i \"$@\""
  ]
  return watch("unshare", [
    ...["--mount", "--pid", "--fork", "--kill-child", "--", "sh", "-c", build.join("\n"), "sh", root],
    ...[...variables, ...command]
  ])
}

const ownNetwork = readlinkSync("/proc/self/ns/net")

const readEach = (name) =>
  readdirSync("/proc").filter((pid) => /^\d+$/.test(pid)).flatMap((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/ns/net`) === ownNetwork ? [[pid, readFileSync(`/proc/${pid}/${name}`, "utf8")]] : []
    } catch {
      // It has ended since the folder was listed.
      return []
    }
  })

/** The program's process as the machine sees it: nothing else runs it in this network. */
const processOf = (role) => {
  const all = readEach("cmdline")
  const found = all.find(([, line]) => line.endsWith(`\0${role}\0`) && /^[^\0]*node\0/.test(line))
  expect(found !== undefined, `The role ${role} has no process among ${JSON.stringify(all)}`)
  return Number(found[0])
}

/** Ends a role as an engine does, and returns how long that took, ms. */
const stop = async (role, program) => {
  const pid = processOf(role)
  const uid = /^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]
  expect(uid === "1000", `The role ${role} runs as the user ${uid}, not as node`)
  const began = performance.now()
  process.kill(pid, config.StopSignal ?? "SIGTERM")
  const code = await Promise.race([program.ended, sleep(graceMs, "late", { ref: false })])
  if (code === "late") process.kill(pid, "SIGKILL")
  expect(code === 0, `The role ${role} ended with ${code} after SIGTERM:\n${program.output().slice(-3000)}`)
  return Math.round(performance.now() - began)
}

/** The command of a health check; of a shell's, only the form with a list is used here. */
const checkHealth = async (name, [form, ...command]) => {
  expect(form === "CMD" && command.length > 0, `The health check of the ${name} is not a command: ${form}`)
  const check = start(command)
  const code = await check.ended
  expect(code === 0, `The health check of the ${name} ended with ${code}: ${check.output()}`)
}

const tryAll = async () => {
  const target = createServer((_, response) => response.end("fine")).listen(0, "127.0.0.1")
  const began = performance.now()
  const program = start([...config.Entrypoint, "all"], { BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" })
  await until("Readiness of the role all", program, isGreen("/readyz"))
  const ready = Math.round(performance.now() - began)
  await checkHealth("Dockerfile", config.Healthcheck.Test)
  await checkHealth("compose file", healthcheck.test)
  const { apiKey } = await call("/agent/bootstrap", { body: { agentName: "image" } })
  const url = `http://127.0.0.1:${target.address().port}/`
  const { id } = await call("/monitors", { key: apiKey, body: { name: "Target", url } })
  await until("A check", program, async () => (await call(`/monitors/${id}`, { key: apiKey })).state === "up")
  // An image without the ping program, or where it may not send, would refuse this.
  const ping = await call("/monitors", { key: apiKey, body: { name: "Ping", kind: "ping", host: "127.0.0.1" } })
  await until("A ping", program, async () => (await call(`/monitors/${ping.id}`, { key: apiKey })).state === "up")
  const stopped = await stop("all", program)
  target.close()
  console.log(`The role all was ready after ${ready} ms, checked its monitors, and ended ${stopped} ms after SIGTERM`)
}

const script = { name: "Script", kind: "script", code: "assert(1 + 1 === 2)" }

/**
 * A script monitor where isolation is required: it is checked in isolation, or refused with the reason, and it is known which.
 */
const tryScript = async (place, begin, isIsolated) => {
  const program = begin([...config.Entrypoint, "all"], { BELLTOWER_ISOLATION: "required", BELLTOWER_DATA_DIR: "/tmp/data" })
  await until(`Readiness of the role all ${place}`, program, isGreen("/readyz"))
  const { apiKey } = await call("/agent/bootstrap", { body: { agentName: "image" } })
  const said = isIsolated ? "Helper processes for scripts have" : "this probe cannot isolate scripts, which would share"
  await until(`A decision about scripts ${place}`, program, async () => program.output().includes(said))
  if (isIsolated) {
    const { id } = await call("/monitors", { key: apiKey, body: script })
    await until(
      `A check by a script ${place}`,
      program,
      async () => (await call(`/monitors/${id}`, { key: apiKey })).state === "up"
    )
  } else {
    const refused = async () =>
      call("/monitors", { key: apiKey, body: script }).then(() => false, ({ message }) => message.includes("can isolate scripts"))
    await until(`The refusal of a script ${place}`, program, refused)
  }
  await stop("all", program)
  console.log(`A script monitor ${place} is ${isIsolated ? "checked in isolation" : "refused with the reason"}`)
}

/** The identity that a probe would have after its enrolment, with keys that no servers know. */
const identity = {
  probeId: "prb_image",
  region: "main",
  privateKey: randomBytes(32).toString("base64url"),
  installation: randomBytes(32).toString("base64url"),
  keys: [],
  revoked: false
}

/** Without brokers a probe lives, is not ready, and says what it lacks. */
const tryProbe = async () => {
  const folder = "/tmp/probe"
  const write = `fs.mkdirSync("${folder}"); fs.writeFileSync("${folder}/probe.json", process.env.IDENTITY)`
  const code = await start(["node", "-e", write], { IDENTITY: JSON.stringify(identity) }).ended
  expect(code === 0, `The identity of the probe was not written: ${code}`)
  const program = start([...config.Entrypoint, "probe"], { KAFKA_BROKERS: "127.0.0.1:9", BELLTOWER_DATA_DIR: folder })
  await until("Life of the role probe", program, isGreen("/healthz"))
  await checkHealth("Dockerfile", config.Healthcheck.Test)
  const readiness = await fetch(`${origin}/readyz`)
  const said = await readiness.json()
  expect(
    readiness.status === 503 && said.ready === false,
    `A probe without brokers answers /readyz with ${readiness.status}: ${JSON.stringify(said)}`
  )
  console.log(`The role probe ended ${await stop("probe", program)} ms after SIGTERM`)
}

/** A command of the program's own that needs nothing. */
const tryHelp = async () => {
  const help = start([...config.Entrypoint, "--help"])
  expect(await help.ended === 0 && help.output().startsWith("Usage: "), `--help printed ${help.output()}`)
}

// As Docker does, which also lets containers open raw sockets.
writeFileSync("/proc/sys/net/ipv4/ping_group_range", "0 2147483647")
await tryHelp()
await tryAll()
await tryScript("as buildah starts it, in a changed root", start, false)
await tryScript("where namespaces are allowed", startOpen, true)
await tryProbe()
