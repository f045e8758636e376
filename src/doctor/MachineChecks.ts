/** Examines the machine: the data folder, open files, and what checks of a probe need. Writes nothing. */
import { Effect, Either, Option } from "effect"
import { existsSync } from "node:fs"
import { access, constants, readFile, stat, statfs } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { isInFile } from "../deployment/DeploymentSecrets.ts"
import { foreseenIdentity } from "../deployment/ProbeIdentity.ts"
import { probeServices } from "../deployment/ProbeServices.ts"
import { failed, fine, type Seen, skipped, warning } from "../domain/health/Diagnosis.ts"
import { diskSeen, filesLimitIn, filesSeen } from "../domain/health/MachineDiagnosis.ts"
import { reasonOf } from "../loops/Outage.ts"
import { ChromiumPath } from "../probe/browser/Chromium.ts"
import { confinements } from "../probe/isolation/Confinements.ts"
import { makeHelperIds } from "../probe/isolation/HelperIds.ts"
import { findIsolation, IsolationSettings } from "../probe/isolation/Isolation.ts"
import { Pings } from "../probe/Pings.ts"
import { limits } from "../probe/script/Scripts.ts"
import { type Diagnoses, examine, type Patient, runsChecks, together } from "./Examine.ts"

/** The folder, or the nearest one above it that exists. */
const existing = (
  folder: string
): string => (existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder)))

const folderAdvice = "BELLTOWER_DATA_DIR must be a folder that this user can write to."

const lookFolder = ({ dataDir }: Patient["settings"]) =>
  Effect.gen(function*() {
    const folder = existing(resolve(dataDir))
    const facts = yield* Effect.tryPromise({ try: () => stat(folder), catch: reasonOf })
    if (!facts.isDirectory()) return [failed(`${folder} is no folder`, folderAdvice)]
    yield* Effect.tryPromise({ try: () => access(folder, constants.W_OK), catch: reasonOf })
    const { bavail, blocks, bsize, ffree, files } = yield* Effect.tryPromise({ try: () => statfs(folder), catch: reasonOf })
    return [diskSeen(folder, { freeBytes: bavail * bsize, allBytes: blocks * bsize, freeFiles: ffree, allFiles: files })]
  })

/** A server with a database and a secret of its settings writes nothing. */
const usesFolder = ({ role, settings }: Patient): boolean => role === "probe" || role === "all" || isInFile(settings)

/** Connections of checks and deliveries that settings allow, and as many again for everything else. */
const lookFiles = (patient: Patient) =>
  Effect.tryPromise(() => readFile("/proc/self/limits", "utf8")).pipe(
    Effect.map(filesLimitIn),
    Effect.orElseSucceed(() => null),
    Effect.map((limit) => {
      const { deliveryLimits, probeLimits } = patient.settings
      const wanted = runsChecks(patient) ? probeLimits.concurrency : deliveryLimits.concurrency
      return [
        limit === null ? skipped("This system does not say how many files a process may open") : filesSeen(limit, 2 * wanted)
      ]
    })
  )

const isolationAdvice = "docs/operations.md, \"Isolation of scripts and browsers\", says what a probe needs."

const lookIsolation = Effect.gen(function*() {
  const { hidden, isRequired } = yield* IsolationSettings
  const found = yield* findIsolation({
    kind: "scripts",
    confinements: confinements({ chromium: null, hidden }, limits),
    ids: makeHelperIds("scripts"),
    needsLoopback: false
  })
  if (Either.isLeft(found)) return [failed(`No script or browser monitors: ${found.left}`, isolationAdvice)]
  const { lacks, name } = found.right
  const isComplete = lacks.length === 0
  const seen = `Scripts get ${name}${isComplete ? "" : `, but share with this probe: ${lacks.join(", ")}`}`
  return [isComplete || isRequired ? fine(seen) : warning(seen, `Only for tenants whom you trust. ${isolationAdvice}`)]
})

const lookChromium = ({ settings }: Patient) =>
  Effect.map(ChromiumPath, (path) =>
    path !== null && existsSync(path)
      ? [fine(`Browser monitors run ${path}`)]
      : Option.isSome(settings.chromium)
      ? [failed(`There is no ${settings.chromium.value}`, "Install Chromium, or correct BELLTOWER_CHROMIUM.")]
      : [skipped("There is no Chromium: browser monitors cannot be created in this region")])

const lookPing = Effect.flatMap(Pings, ({ isAvailable }) => isAvailable).pipe(
  Effect.map((works) => [
    works ? fine("Ping monitors work: this machine answers to itself") : warning(
      "Ping monitors do not work: this process cannot send ICMP",
      "Install ping (Debian: iputils-ping), and grant CAP_NET_RAW or set net.ipv4.ping_group_range."
    )
  ]),
  Effect.provide(Pings.Default)
)

const identityAdvice = "Give the probe a token: belltower probe-token <region> on a server, and BELLTOWER_PROBE_TOKEN here."

const lookIdentity = ({ settings }: Patient) =>
  Effect.map(foreseenIdentity(settings), ({ hasToken, identity, needed }): ReadonlyArray<Seen> => {
    if (Option.isNone(identity)) {
      return [hasToken ? fine("The probe has a token and enrols with it at its start") : failed(needed, identityAdvice)]
    }
    const { probeId, region, revoked } = identity.value
    const others = Option.filter(settings.probeRegion, (given) => given !== region)
    if (revoked) {
      return [failed(`The identity ${probeId} was revoked`, `Delete probe.json in BELLTOWER_DATA_DIR. ${identityAdvice}`)]
    }
    return Option.isSome(others)
      ? [failed(`BELLTOWER_REGION is ${others.value}, but the probe is enrolled for ${region}`, "Remove BELLTOWER_REGION.")]
      : [fine(`The probe is enrolled as ${probeId} of the region ${region}`)]
  })

/** The examinations of a process that runs checks. */
const examineChecking = (patient: Patient): ReadonlyArray<Diagnoses> => {
  if (!runsChecks(patient)) return []
  const services = probeServices(patient)
  return [
    ...(patient.role === "probe" ? [examine("identity", identityAdvice, lookIdentity(patient))] : []),
    examine("isolation", isolationAdvice, Effect.provide(lookIsolation, services)),
    examine("chromium", isolationAdvice, Effect.provide(lookChromium(patient), services)),
    examine("ping", "Install ping.", Effect.provide(lookPing, services))
  ]
}

export const examineMachine = (patient: Patient): Diagnoses =>
  together([
    examine(
      "data folder",
      folderAdvice,
      usesFolder(patient) ? lookFolder(patient.settings) : Effect.succeed([skipped("This role writes no files")])
    ),
    examine("open files", "Raise the limit (ulimit -n).", lookFiles(patient)),
    ...examineChecking(patient)
  ])
