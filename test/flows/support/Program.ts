/** The program as people run it: the built bundle in its own process, with its own data folder and port. */
import { Context, Deferred, Effect, Layer, type Scope } from "effect"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { inject } from "vitest"
import { nodeFlags } from "../../../infra/runtime.mjs"
import { freePort } from "../../support/network/FreePort.ts"
import { testSecret } from "../../support/program/TestInstallation.ts"
import { temporaryRoot } from "../../support/run/TemporaryRoot.ts"

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..")
const bundle = join(root, "dist/belltower.js")

/** Programs that a test starts keep here what V8 has compiled of the bundle, for those that follow. */
export const compiledOnce = { NODE_COMPILE_CACHE: join(root, "node_modules/.cache/belltower-compiled") }

export interface ProgramOptions {
  /** Its working folder, with the data in `data`. */
  readonly folder: string
  readonly args?: ReadonlyArray<string>
  /** Added to, or replacing, the settings of every test; nothing is inherited from the environment of the test run. */
  readonly env?: Readonly<Record<string, string>>
  /** The user to run as, if the tests run as root. */
  readonly uid?: number
}

/** How a process ended, and all its output. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Process {
  readonly pid: number
  readonly stdout: () => string
  /** Completes with `true` when stdout contains a text, with `false` when the process ends without it. */
  readonly says: (text: string) => Effect.Effect<boolean>
  readonly ended: Effect.Effect<Ending>
  /** Sent to the process alone, or to its group, as a terminal does. */
  readonly signal: (signal: NodeJS.Signals, to?: "process" | "group") => Effect.Effect<void>
}

interface Program extends Process {
  readonly baseUrl: string
  readonly folder: string
}

/** A folder that is removed with its scope. */
export const newFolder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = await mkdtemp(join(temporaryRoot, "belltower-flow-"))
    // Lets the database's user enter when the tests run as root.
    await chmod(folder, 0o755)
    return folder
  }),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

/** A port of this machine at which another server listens until the scope closes. */
export const portInUse = Effect.gen(function*() {
  const port = yield* freePort
  const other = createServer()
  yield* Effect.acquireRelease(
    Effect.async<void>((resume) => void other.listen(port, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.async<void>((resume) => void other.close(() => resume(Effect.void)))
  )
  return port
})

/** A young generation that is large from the beginning: a start has one or two collections of it, and takes a tenth less CPU. */
const flags = [...nodeFlags, "--min-semi-space-size=16"]

/** The targets and receivers of these tests are all on loopback. */
const loopback = { BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }

/** A database outside the data folder needs one that is given; without it, the program makes one. */
const secretFor = (env: NonNullable<ProgramOptions["env"]>) =>
  env["DATABASE_URL"] === undefined ? {} : { BELLTOWER_SECRET: testSecret }

const spawned = ({ args = [], env = {}, folder, uid }: ProgramOptions): ChildProcess =>
  spawn(process.execPath, [...flags, bundle, ...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      BELLTOWER_DATA_DIR: join(folder, "data"),
      ...compiledOnce,
      ...loopback,
      ...secretFor(env),
      ...env
    },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    ...(uid === undefined ? {} : { uid, gid: uid })
  })

/** A file of `/proc`; empty when its process has ended. */
const readProcess = (pid: number, file: "cmdline" | "stat"): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return ""
  }
}

/** The database servers of a folder. A server's children share its command line until they set their own title. */
const serversOf = (folder: string) =>
  Effect.sync(() => {
    if (process.platform !== "linux") return []
    const found = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number)
      .map((pid) => ({ pid, args: readProcess(pid, "cmdline") }))
      .filter(({ args }) => args.includes(join(folder, "data", "postgres")) && args.includes("belltower.owner="))
    const own = new Set(found.map(({ pid }) => pid))
    return found.filter(({ pid }) => {
      const stat = readProcess(pid, "stat")
      return stat !== "" && !own.has(Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]))
    })
  })

/** The database servers that run on a program's folder, where they can be counted: one while it is up, none after. */
export const databasesOf = (folder: string): Effect.Effect<ReadonlyArray<number>> =>
  Effect.map(serversOf(folder), (servers) => servers.map(({ pid }) => pid))

/** Polls until the answer matches; the test's timeout ends the wait. */
export const awaited = <A, E, R>(ask: Effect.Effect<A, E, R>, fits: (answer: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    ask,
    (answer) => fits(answer) ? Effect.succeed(answer) : Effect.zipRight(Effect.sleep("50 millis"), awaited(ask, fits))
  )

/** Completes when the server that a process started is gone. */
const serverGone = (folder: string, owner: number) =>
  awaited(serversOf(folder), (servers) => servers.every(({ args }) => !args.includes(`belltower.owner=${owner}\0`)))

/** The output without what the program says of a slow machine: that is no fault of the program. */
const withoutSlowness = (text: string): string =>
  text.replace(/^\[[^\n]* WARN [^\n]*(?:The event loop was held|Database overloaded)[^\n]*\n/gm, "")

/** Starts a process of the program; the process and its database end with the scope. */
export const spawnProgram = (options: ProgramOptions): Effect.Effect<Process, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.gen(function*() {
      const exited = yield* Deferred.make<Ending>()
      const child = spawned(options)
      const output = { stdout: "", stderr: "" }
      const listeners = new Set<() => void>()
      child.stdout?.on("data", (chunk: Buffer) => {
        output.stdout += chunk.toString("utf8")
        listeners.forEach((listener) => listener())
      })
      child.stderr?.on("data", (chunk: Buffer) => {
        output.stderr += chunk.toString("utf8")
      })
      child.on("error", (cause) => {
        output.stderr += String(cause)
      })
      child.on("close", (code, signal) =>
        Deferred.unsafeDone(
          exited,
          Effect.succeed({ code, signal, stdout: withoutSlowness(output.stdout), stderr: output.stderr })
        ))
      const pid = child.pid ?? (yield* Effect.dieMessage("The program cannot be run"))

      const said = (text: string) =>
        Effect.async<boolean>((resume) => {
          const listener = () => {
            if (output.stdout.includes(text)) {
              resume(Effect.succeed(true))
            }
          }
          listeners.add(listener)
          listener()
          return Effect.sync(() => listeners.delete(listener))
        })
      const running: Process = {
        pid,
        stdout: () => withoutSlowness(output.stdout),
        says: (text) => Effect.race(said(text), Effect.as(Deferred.await(exited), false)),
        ended: Deferred.await(exited),
        signal: (signal, to = "process") => Effect.sync(() => process.kill(to === "group" ? -pid : pid, signal))
      }
      return running
    }),
    (running) =>
      Effect.ignore(Effect.try(() => process.kill(-running.pid, "SIGKILL"))).pipe(
        Effect.zipRight(running.ended),
        Effect.zipRight(serverGone(options.folder, running.pid))
      )
  )

/** Runs the program until it exits. */
export const runProgram = (options: ProgramOptions): Effect.Effect<Ending> =>
  Effect.scoped(Effect.flatMap(spawnProgram(options), ({ ended }) => ended))

/** Starts the whole program on a free port and waits until it is ready. */
export const startProgram = Effect.fn("startProgram")(function*(options: ProgramOptions) {
  const port = yield* freePort
  const running = yield* spawnProgram({ ...options, env: { BELLTOWER_HOST: "127.0.0.1", PORT: String(port), ...options.env } })
  if (!(yield* running.says("is ready at"))) {
    const { code, stderr, stdout } = yield* running.ended
    return yield* Effect.dieMessage(`The program did not start (exit code ${code}): ${stderr}${stdout}`)
  }
  const program: Program = { ...running, baseUrl: `http://127.0.0.1:${port}`, folder: options.folder }
  return program
})

/** The data of a program that has started once and ended: its database with all tables and no rows. Made once by each worker. */
const firstData = Effect.runSync(Effect.cached(Effect.scoped(Effect.gen(function*() {
  const folder = yield* Effect.promise(() => mkdtemp(join(inject("runFolder"), "first-start-")))
  yield* Effect.promise(() => chmod(folder, 0o755))
  const program = yield* startProgram({ folder })
  yield* program.signal("SIGTERM")
  yield* program.ended
  return join(folder, "data")
}))))

/** Like `newFolder`, with the data of a program that has started once: all tables, and no rows. The program makes its secret itself. */
export const startedFolder = Effect.gen(function*() {
  const folder = yield* newFolder
  const data = yield* firstData
  // With owners: the database's files belong to its user.
  yield* Effect.promise(() => promisify(execFile)("cp", ["-a", data, folder]))
  return folder
})

/** Starts a program that has its data folder to itself. */
export const freshProgram = (env: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(startedFolder, (folder) => startProgram({ folder, env }))

/** A program that tests share, each with its own workspace. It admits five of them from one address. */
export class SharedProgram extends Context.Tag("SharedProgram")<SharedProgram, Program>() {
  static readonly Default = Layer.scoped(SharedProgram, freshProgram())
}
