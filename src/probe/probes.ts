/** The registry of probes, one per check kind. */
import { Cause, Effect, Either } from "effect"
import type { Assignment } from "../../schema/check/Bus.ts"
import type { ProbeKind } from "../../schema/monitor/kinds.ts"
import type { OwnPermits } from "../domain/check/address/PermitsAt.ts"
import { guardFor, type Lacking } from "../egress/EgressGuard.ts"
import { AwaitsPermit } from "./AwaitsPermit.ts"
import { checkBrowser } from "./kinds/browser.ts"
import { checkDns } from "./kinds/dns.ts"
import { checkDomain } from "./kinds/domain.ts"
import { checkGrpc } from "./kinds/grpc.ts"
import { checkHttp } from "./kinds/http.ts"
import { checkManifest } from "./kinds/manifest.ts"
import { checkMcp } from "./kinds/mcp.ts"
import { checkPing } from "./kinds/ping.ts"
import { checkScript } from "./kinds/script.ts"
import { checkTcp } from "./kinds/tcp.ts"
import { checkWebsocket } from "./kinds/websocket.ts"
import { Overloaded } from "./Overloaded.ts"
import { type AssignmentOf, type Probe, type ProbeExit, type ProbeNeeds, type Tools, tools } from "./Probe.ts"
import { type ProbeResult, unanswered } from "./ProbeResult.ts"

/** The type requires an entry for every kind that the schema marks as probed. */
const probes: { readonly [Kind in ProbeKind]: Probe<Kind> } = {
  http: checkHttp,
  tcp: checkTcp,
  dns: checkDns,
  manifest: checkManifest,
  script: checkScript,
  browser: checkBrowser,
  grpc: checkGrpc,
  websocket: checkWebsocket,
  ping: checkPing,
  domain: checkDomain,
  mcp: checkMcp
}

const probe = <Kind extends ProbeKind>(
  kind: Kind,
  assignment: AssignmentOf<Kind>,
  tools: Tools,
  done: (seen: ProbeExit) => void
): () => void => probes[kind](assignment, tools, done)

const broken = unanswered("internal_error", "The probe itself failed; see the probe's log")

const notMade = {
  lookups: new Overloaded({
    resource: "lookups",
    message: "The check was not made: too many lookups of local and unknown names wait. Use longer intervals."
  }),
  files: new Overloaded({ resource: "files", message: "The check was not made: the probe has too many files open." })
} satisfies Record<Lacking, Overloaded>

const isFailure = (seen: ProbeExit): boolean => Either.isRight(seen) && seen.right.outcome !== "up"

/**
 * Starts a check, and calls `done` once. Returns a function that cancels. Without a place for its lookups it is skipped; without a
 * permit at an address it ends with `AwaitsPermit`.
 */
export const startProbe = (
  assignment: Assignment,
  tools: Tools,
  done: (seen: ProbeExit) => void,
  permits?: OwnPermits
): () => void => {
  let lacking: Lacking | null = null
  const guard = guardFor(tools.guard, {
    owner: assignment.workspaceId,
    onNoPlace: (what) => {
      lacking = what
    },
    ...(permits === undefined ? {} : { permits })
  })
  const end = (seen: ProbeExit): void => {
    if (!isFailure(seen)) return done(seen)
    const address = permits?.missedAt() ?? null
    done(lacking !== null ? Either.left(notMade[lacking]) : address === null ? seen : Either.left(new AwaitsPermit({ address })))
  }
  return Either.match(Either.try(() => probe(assignment.target.kind, assignment, { ...tools, guard }, end)), {
    onLeft: (defect) => {
      done(Either.left(defect))
      return () => {}
    },
    onRight: (giveUp) => giveUp
  })
}

/** The result for a check whose probe failed: `internal_error`. Logs the defect. */
export const brokenProbeResult = (assignment: Assignment, defect: unknown): Effect.Effect<ProbeResult> =>
  Effect.as(Effect.logError(`The probe failed while checking ${assignment.monitorId}`, Cause.die(defect)), broken)

/** Checks the target once. Reports a defect of the probe as `internal_error`. */
export const probeOnce = (assignment: Assignment, permits?: OwnPermits): Effect.Effect<ProbeResult, never, ProbeNeeds> =>
  Effect.flatMap(
    tools,
    (own) =>
      Effect.async<ProbeResult, unknown>((resume) => Effect.sync(startProbe(assignment, own, (seen) => resume(seen), permits)))
        .pipe(
          Effect.catchAll((defect) =>
            defect instanceof Overloaded || defect instanceof AwaitsPermit
              ? Effect.succeed(unanswered("internal_error", defect.message))
              : brokenProbeResult(assignment, defect)
          )
        )
  )
