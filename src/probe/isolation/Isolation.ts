/**
 * Isolation of helper processes, which run a tenant's work: the strongest that this machine allows, as a trial from inside shows. Where
 * tenants are strangers, what cannot be isolated completely is refused.
 */
import { Context, Effect, Either, Option, Schema, type Scope } from "effect"
import type { ChildProcess, SpawnOptions } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer } from "node:net"
import { bundledFile } from "../../domain/tools/BundledFile.ts"
import { startProcess } from "../StartProcess.ts"
import type { Confinement } from "./Confinements.ts"
import type { HelperIds, HelperKind } from "./HelperIds.ts"
import { Lack, Trial } from "./Trial.ts"

export class IsolationSettings extends Context.Reference<IsolationSettings>()("belltower/IsolationSettings", {
  defaultValue: () => ({
    /** Whether nothing runs without complete isolation. */
    isRequired: true,
    /** Folders of ours with data: no helper may see them. */
    hidden: new Array<string>()
  })
}) {}

const programs = new Map<string, Buffer>()

/** A program that is bundled; null if it is missing. */
export const bundledProgram = (name: string): Buffer | null => {
  const known = programs.get(name)
  if (known !== undefined) return known
  const file = bundledFile(`${name}.js`)
  if (file === null) return null
  const program = readFileSync(file)
  programs.set(name, program)
  return program
}

/**
 * Starts Node in isolation, with an id that no other run has; null if it cannot. The program comes over stdin, because its user
 * cannot read our files.
 */
export const startIsolated = (
  { command, node }: Confinement,
  ids: HelperIds,
  nodeArguments: ReadonlyArray<string>,
  options: SpawnOptions,
  program: Buffer
): ChildProcess | null => {
  const id = ids.take()
  if (id === null) return null
  const [first = node, ...rest] = [...command(id), node, ...nodeArguments]
  const child = startProcess(first, rest, { ...options, env: {}, cwd: "/" })
  if (child === null) ids.giveBack(id)
  child?.once("exit", () => ids.giveBack(id))
  child?.stdin?.on("error", () => {})
  child?.stdin?.end(program)
  return child
}

const readLacks = Schema.decodeEither(Schema.parseJson(Schema.Array(Lack)))

/** A port on which this process listens for a moment. */
const ownPort: Effect.Effect<number, never, Scope.Scope> = Effect.acquireRelease(
  Effect.async<ReturnType<typeof createServer>>((resume) => {
    const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.sync(() => server.close())
).pipe(Effect.map((server) => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}))

/** How an isolation did in its trial. Left: it does not work, and why. */
type Tried = Either.Either<ReadonlyArray<Lack>, string>

const trialArguments = ["--no-warnings", "--input-type=module", "-"]

const runTrial = (confinement: Confinement, ids: HelperIds, program: Buffer, trial: Trial): Effect.Effect<Tried> =>
  Effect.async<Tried>((resume) => {
    const given = [...trialArguments, Schema.encodeSync(Schema.parseJson(Trial))(trial)]
    const child = startIsolated(confinement, ids, given, { stdio: ["pipe", "pipe", "pipe"] }, program)
    if (child === null) return resume(Effect.succeed(Either.left("this probe cannot start a process")))
    const text = { stdout: "", stderr: "" }
    child.stdout?.on("data", (chunk) => (text.stdout += String(chunk)))
    child.stderr?.on("data", (chunk) => (text.stderr += String(chunk)))
    child.on("error", ({ message }) => resume(Effect.succeed(Either.left(message))))
    child.on("close", () => {
      const said = text.stderr.trim().split("\n").at(-1) ?? ""
      resume(Effect.succeed(Either.mapLeft(readLacks(text.stdout), () => said)))
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })

export interface Isolation extends Confinement {
  readonly lacks: ReadonlyArray<Lack>
}

interface Wanted {
  readonly kind: HelperKind
  readonly confinements: ReadonlyArray<Confinement>
  readonly ids: HelperIds
  readonly needsLoopback: boolean
}

/** The end of a search. Left: why nothing may run, as a clause and what to do. */
type Way = Either.Either<Isolation, string>

const shared = {
  user: "its user id",
  processes: "its processes",
  files: "its files",
  network: "its network",
  rights: "the way to root"
} satisfies Record<Lack, string>

const listed = new Intl.ListFormat("en")

const wayOut = "Allow the probe to make namespaces (docs/operations.md, Isolation); " +
  "or set BELLTOWER_ISOLATION=best, if you trust everybody who can create monitors."

const cannotStart = (kind: HelperKind): string =>
  `this probe cannot start a process for ${kind}. Give it more process ids and memory, or install setpriv (util-linux).`

const tooBusy = (kind: HelperKind): string =>
  `this probe is too busy to try the isolation of ${kind}. It tries again in a minute.`

/** The meaning of a trial, and its line for the log. `why`: the failure of the strongest way, in parentheses. */
const judge = (kind: HelperKind, isRequired: boolean, { lacks, name }: Isolation, why: string) => {
  const list = listed.format(lacks.map((lack) => shared[lack]))
  if (lacks.length === 0) return { log: `Helper processes for ${kind} have ${name}`, refused: null }
  if (!isRequired) {
    return { log: `Helper processes for ${kind} have ${name}, but share ${list} with this probe${why}`, refused: null }
  }
  const refused = `this probe cannot isolate ${kind}, which would share ${list} with it. ${wayOut}`
  return { log: `No monitors with ${kind} are checked: ${refused}${why}`, refused }
}

/** Finds the strongest isolation that works, and logs it. Left: why nothing may run, as a clause and what to do. */
export const findIsolation = Effect.fn("Isolation.find")(function*(
  { confinements, ids, kind, needsLoopback }: Wanted
): Effect.fn.Return<Way, never, Scope.Scope> {
  const { hidden, isRequired } = yield* IsolationSettings
  const program = bundledProgram("isolationTrial")
  const own = bundledFile("isolationTrial.js")
  if (program === null || own === null) return Either.left("the program of the probe is incomplete; build it first.")
  const trial = { paths: [...hidden, own], port: yield* ownPort, uid: process.getuid?.() ?? -1, needsLoopback }
  let why = ""
  for (const confinement of confinements) {
    const tried = yield* Effect.timeoutOption(runTrial(confinement, ids, program, trial), "30 seconds")
    // A weaker way would be chosen for good because the machine was busy once.
    if (Option.isNone(tried)) return Either.left(tooBusy(kind))
    if (Either.isLeft(tried.value)) {
      // The strongest one says best what the machine lacks.
      if (why === "" && tried.value.left !== "") why = ` (${tried.value.left})`
      continue
    }
    const isolation = { ...confinement, lacks: tried.value.right }
    const { log, refused } = judge(kind, isRequired, isolation, why)
    yield* (isolation.lacks.length === 0 ? Effect.logInfo(log) : Effect.logWarning(log))
    return refused === null ? Either.right(isolation) : Either.left(refused)
  }
  yield* Effect.logWarning(`No monitors with ${kind} are checked: ${cannotStart(kind)}${why}`)
  return Either.left(cannotStart(kind))
}, Effect.scoped)
