/** Processes in the image that infra/image.mjs has built: starts them as containers do, asks them, and stops them as an engine does. */
import { spawn } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parse } from "yaml"

export const { buildah, config, container, root, work } = JSON.parse(readFileSync(process.argv[2], "utf8"))
const compose = parse(readFileSync(join(import.meta.dirname, "../compose.yaml"), "utf8"), { merge: true })
export const { healthcheck, stop_grace_period } = compose.services.api
const graceMs = Number.parseInt(stop_grace_period, 10) * 1000

export const expect = (isTrue, what) => {
  if (!isTrue) throw new Error(what)
}

/** Starts a command in the image; `ended` resolves with its exit code, `output` returns what it has printed. */
export const start = (command, env = {}) => {
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

/** Asks until the answer is as wanted, for two minutes at most: all tests run beside it. */
export const until = async (what, program, ask) => {
  const deadline = performance.now() + 120_000
  while (performance.now() < deadline) {
    const answer = await ask().catch(() => undefined)
    if (answer !== undefined && answer !== false) return answer
    await sleep(100)
  }
  throw new Error(`${what} did not happen. The program said:\n${program.output().slice(-3000)}`)
}

const usualPort = 8080
export const originAt = (port) => `http://127.0.0.1:${port}`
export const isGreen = (path, port = usualPort) => () => fetch(originAt(port) + path).then(({ ok }) => ok)

export const call = async (path, { body, key, port = usualPort } = {}) => {
  const response = await fetch(`${originAt(port)}/api/v1${path}`, {
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    headers: { "content-type": "application/json", ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) }
  })
  const text = await response.text()
  expect(response.ok, `${path} answered ${response.status}: ${text}`)
  return JSON.parse(text)
}

/**
 * A folder of the machine for `/data`, as Kubernetes mounts it with the chart's `fsGroup`: of root, and of the group of the image's user.
 */
export const volume = (name) => {
  const folder = join(work, "volumes", name)
  mkdirSync(folder, { recursive: true })
  chownSync(folder, 0, 1000)
  chmodSync(folder, 0o2775)
  return folder
}

/**
 * Starts a command in the image's files as a container does whose engine allows namespaces: as the image's user, without any right, on a
 * read-only file system but for `/tmp` and the folder `data` at `/data`. What buildah starts has a changed root, where the kernel makes no
 * user namespaces. With `isSlim`, there is no PostgreSQL.
 */
export const startOpen = (command, env, { data = volume("data"), isSlim = false } = {}) => {
  const variables = Object.entries({ ...imageVariables(), ...env }).map(([name, value]) => `${name}=${value}`)
  const build = [
    "set -e",
    "mount --rbind \"$1\" \"$1\"",
    "cd \"$1\"",
    "mount -t proc proc proc",
    "mount --rbind /sys sys",
    "mount --rbind /dev dev",
    "mount -t tmpfs -o mode=1777 tmpfs tmp",
    "mount --bind \"$2\" data",
    ...(isSlim ? ["mount -t tmpfs tmpfs app/node_modules"] : []),
    "mkdir -p old",
    "pivot_root . old",
    "umount -l old",
    "mount -o remount,ro,bind /",
    "cd /app",
    "shift 2",
    "exec setpriv --reuid=1000 --regid=1000 --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs env -i \"$@\""
  ]
  return watch("unshare", [
    ...["--mount", "--pid", "--fork", "--kill-child", "--", "sh", "-c", build.join("\n"), "sh", root, data],
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
export const stop = async (role, program) => {
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
