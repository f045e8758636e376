/**
 * The program of an attacker who runs code of his own in a helper process, beyond the script's sandbox. Attempts everything, and prints
 * what came of it as JSON.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { connect, type NetConnectOpts } from "node:net"
import { networkInterfaces } from "node:os"

interface Goals {
  readonly parent: number
  readonly port: number
  /** PostgreSQL's socket. */
  readonly socket: string
  readonly files: ReadonlyArray<string>
  readonly folders: ReadonlyArray<string>
  /** Without isolation, it changes nothing on the machine. */
  readonly isHarmless: boolean
}

const goals: Goals = JSON.parse(process.argv[2] ?? "")

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : String(error))

const attempt = (work: () => unknown): string => {
  try {
    work()
    return "done"
  } catch (error) {
    return codeOf(error)
  }
}

const open = (options: NetConnectOpts, hello: Buffer | null): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(options)
    socket.once("error", (error) => resolve(codeOf(error)))
    socket.once("connect", () => {
      if (hello === null) resolve("done")
      else socket.write(hello)
    })
    socket.once("data", (bytes: Buffer) =>
      resolve(`answer ${bytes.toString("latin1", 0, 1)} ${bytes.length > 8 ? bytes.readInt32BE(5) : ""}`))
  })

/** PostgreSQL's first message (protocol 3.0) as its superuser. */
const startup = (): Buffer => {
  const words = Buffer.from("user\0postgres\0database\0postgres\0\0")
  const head = Buffer.alloc(8)
  head.writeInt32BE(8 + words.length, 0)
  head.writeInt32BE(196_608, 4)
  return Buffer.concat([head, words])
}

const pids = (): ReadonlyArray<string> => {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

const mostChildren = 200

const children = (): Promise<number> =>
  new Promise((resolve) => {
    const started: Array<ChildProcess> = []
    const end = (): void => {
      if (goals.isHarmless) { for (const child of started) child.kill("SIGKILL") }
      resolve(started.length)
    }
    const next = (): void => {
      if (started.length >= mostChildren) return end()
      try {
        const child = spawn("/usr/bin/sleep", ["60"], { stdio: "inherit" })
        child.once("error", end)
        child.once("spawn", () => {
          started.push(child)
          next()
        })
      } catch {
        end()
      }
    }
    next()
  })

/** How much memory the system gives, MB, up to 2 GB. */
const memory = (): number => {
  const held: Array<Buffer> = []
  while (held.length < 40 && attempt(() => held.push(Buffer.allocUnsafeSlow(50_000_000))) === "done");
  return held.length * 50
}

const run = async () => {
  const report = {
    uid: process.getuid?.(),
    root: readdirSync("/").sort(),
    environ: attempt(() => {
      if (!readFileSync(`/proc/${goals.parent}/environ`, "utf8").includes("planted")) throw new Error("another process")
    }),
    memoryOfParent: attempt(() => closeSync(openSync(`/proc/${goals.parent}/mem`, "r+"))),
    signal: attempt(() => process.kill(goals.parent, 0)),
    processes: pids().length,
    files: goals.files.map((path) => attempt(() => readFileSync(path))),
    folders: goals.folders.map((path) => attempt(() => readdirSync(path))),
    writes: goals.isHarmless
      ? []
      : ["/x", "/usr/x", "/node", "/tmp/x"].map((path) => attempt(() => writeFileSync(path, "", { flag: "a" }))),
    network: await open({ host: "127.0.0.1", port: goals.port }, null),
    interfaces: Object.values(networkInterfaces()).flat().filter((one) => one?.internal === false).length,
    database: await open({ path: goals.socket }, startup()),
    root2: attempt(() => process.setuid?.(0)),
    namespaces: spawnSync("unshare", ["--user", "--map-root-user", "true"]).status === 0 ? "done" : "refused",
    mounts: !goals.isHarmless && spawnSync("mount", ["-t", "tmpfs", "none", "/usr"]).status === 0 ? "done" : "refused",
    children: await children(),
    // Last: it leaves none.
    memory: memory()
  }
  process.stdout.write(JSON.stringify(report), () => process.exit(0))
}

await run()
