/** Composes the layers of a process that only runs checks, and what every process needs of them. */
import { Context, Effect, Layer, Option } from "effect"
import { randomUUID } from "node:crypto"
import { BusKeys } from "../bus/BusKeys.ts"
import { KafkaBus } from "../bus/kafka/KafkaBus.ts"
import type { HealthLooks } from "../http/server/HealthChecks.ts"
import * as HealthServer from "../http/server/HealthServer.ts"
import { ProcessRole } from "../http/server/MetricRoles.ts"
import { MetricsAccess } from "../http/server/MetricsAccess.ts"
import { mostChecks, mostOpenFiles } from "../http/server/OpenFiles.ts"
import { ServerAddress } from "../http/server/ServeApp.ts"
import { restartForever } from "../loops/RestartForever.ts"
import { Browsers } from "../probe/browser/Browsers.ts"
import { Judging } from "../probe/judging/Judging.ts"
import { Pings } from "../probe/Pings.ts"
import { Rdap } from "../probe/Rdap.ts"
import { Scripts } from "../probe/script/Scripts.ts"
import * as Worker from "../probe/Worker.ts"
import { makeWorkerLife } from "../probe/WorkerLife.ts"
import { baseUrlOf } from "../settings/BaseUrlOf.ts"
import type { Role, Settings } from "../settings/Settings.ts"
import { probeHealth } from "./ProbeHealth.ts"
import { probeIdentity } from "./ProbeIdentity.ts"
import { probeServices } from "./ProbeServices.ts"
import { runUntil, usualDrainSec } from "./RunUntil.ts"

/** News for the person who starts a process. */
export interface FirstNews {
  /** A one-time link into a server that nobody has used yet. */
  readonly signInPath: string | null
  /** No mail server is set, so mail reaches nobody. */
  readonly capturesMail: boolean
}

/** The settings, and the values derived from them before anything starts. A process that only runs checks has nothing more. */
export interface Deployment {
  readonly settings: Settings
  readonly role: Role
  readonly baseUrl: string
  /** Runs once the process accepts requests. */
  readonly ready: (address: ServerAddress["Type"], news: FirstNews) => Effect.Effect<void>
}

/** No more checks at a time than this process can have sockets: one without a socket would be skipped. */
const fittingLimits = Effect.fnUntraced(function*({ probeLimits }: Settings) {
  const most = Option.match(yield* mostOpenFiles, { onNone: () => Infinity, onSome: mostChecks })
  if (most >= probeLimits.concurrency) return probeLimits
  yield* Effect.logWarning(
    `The limit of open files suffices for ${most} checks at a time, not for ${probeLimits.concurrency}. Raise it (ulimit -n).`
  )
  return { ...probeLimits, concurrency: most }
})

export const probeOf = ({ settings }: Deployment, region = settings.region, life = makeWorkerLife()) =>
  Layer.scopedDiscard(Effect.flatMap(fittingLimits(settings), (limits) => {
    const { canaries, checksUplink } = settings
    const worker = Worker.run({ region, workerId: randomUUID(), canaries, checksUplink, limits, life })
    return Effect.forkScoped(restartForever("The probe worker", worker))
  })).pipe(Layer.provide(
    Layer.mergeAll(Judging.Default, Pings.Default, Rdap.Default, Layer.provideMerge(Browsers.Default, Scripts.Default))
  ))

/** Access to the metrics at a port for health and metrics only, which is not for strangers. */
export const metricsApart = ({ settings }: Deployment) =>
  Layer.succeed(MetricsAccess, { token: settings.metricsToken, isPublic: false, elsewhere: false })

const nothingNew: FirstNews = { signInPath: null, capturesMail: false }

/** Health and metrics only, for processes that serve nothing else. */
export const healthOf = (deployment: Deployment, health: HealthLooks) =>
  HealthServer.layer({ host: deployment.settings.host, port: deployment.settings.port, health }).pipe(
    Layer.tap((context) => deployment.ready(Context.get(context, ServerAddress), nothingNew)),
    Layer.provide(metricsApart(deployment))
  )

/** Only an api has clients that should go elsewhere first. */
export const drainSecOf = ({ role, settings }: Deployment): number =>
  Option.getOrElse(settings.drainSec, () => role === "api" ? usualDrainSec : 0)

/** Says at a start where the health of a process is, which serves nothing else. */
export const readyAt = (role: Role): Deployment["ready"] => ({ host, port }) =>
  Effect.logInfo(`The ${role} process is ready; health check at ${host}:${port}/readyz`)

/** Runs the role `probe`: without a database and a secret, with its assignments from the bus. Fails when it is revoked. */
export const runProbe = Effect.fn("ProbeDeployment.runProbe")(function*(settings: Settings) {
  const deployment: Deployment = { settings, role: "probe", baseUrl: baseUrlOf(settings), ready: readyAt("probe") }
  const { ended, keys } = yield* probeIdentity(deployment.settings)
  const life = makeWorkerLife()
  // A probe waits for the topics that the servers or the operator make.
  const bus = KafkaBus.layer({ ...deployment.settings.kafka, createTopics: false })
  return yield* runUntil(
    drainSecOf(deployment),
    Layer.unwrapScoped(
      Effect.map(probeHealth(life), (health) => Layer.merge(probeOf(deployment, keys.region, life), healthOf(deployment, health)))
    ).pipe(
      Layer.provide(Layer.mergeAll(
        Layer.provide(bus, Layer.succeed(BusKeys, { servers: null, probe: keys })),
        Layer.succeed(ProcessRole, "probe"),
        probeServices(deployment)
      ))
    ),
    () => ended
  )
})
