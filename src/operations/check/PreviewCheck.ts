/** Checks with settings that are not saved, to see what a monitor would see. Stores nothing. */
import { Clock, Effect, Either, Struct } from "effect"
import { ValidationFailed } from "../../../schema/Errors.ts"
import { MonitorId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { ProbeTarget } from "../../../schema/monitor/kinds.ts"
import type { CheckPreview, PreviewInput } from "../../../schema/monitor/MonitorViews.ts"
import { codeMonitors, monitorWishes, type Wish } from "../../domain/billing/PlanLimits.ts"
import { checkOf } from "../../domain/check/history/CheckView.ts"
import { isProbed } from "../../domain/monitor/kinds.ts"
import { type MonitorSettings, settleEdit, settleNew } from "../../domain/monitor/settings/MonitorSettings.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { mint } from "../../store/Mint.ts"
import { Monitors } from "../../store/monitor/Monitors.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { makeVetMonitor } from "../monitor/VetMonitor.ts"
import { requireMonitor } from "../NoSuch.ts"
import { DefaultRegion } from "./DefaultRegion.ts"
import { OnDemandChecks } from "./OnDemandChecks.ts"

type Input = Omit<PreviewInput, "id">

const targetOf = ({ target }: MonitorSettings): Effect.Effect<ProbeTarget, ValidationFailed> =>
  isProbed(target) ? Effect.succeed(target) : new ValidationFailed({
    message: "A heartbeat monitor has no target to check; it waits for pings",
    hint: "Create it, then POST to its pingUrl"
  })

/** Plans allow a preview where they allow a monitor with these settings. */
const wishesOf = (settings: MonitorSettings, before: MonitorSettings | null): ReadonlyArray<Wish> => [
  ...monitorWishes(settings, before),
  { limit: "codeMonitors", had: 0, wanted: before === null ? codeMonitors(settings.target.kind) : 0 }
]

export class PreviewCheck extends Effect.Service<PreviewCheck>()("belltower/PreviewCheck", {
  effect: Effect.gen(function*() {
    const monitors = yield* Monitors
    const quotas = yield* Quotas
    const vet = yield* makeVetMonitor
    const defaultRegion = yield* DefaultRegion
    const checks = yield* OnDemandChecks

    const stored = Effect.fnUntraced(function*(workspaceId: WorkspaceId, id: string) {
      const row = yield* requireMonitor(monitors, workspaceId, id)
      return { ...row, secrets: yield* monitors.secrets(row) } satisfies MonitorSettings
    })

    const settle = (input: Input, before: MonitorSettings | null) =>
      Either.mapLeft(
        before === null
          ? settleNew({ ...input, name: input.name ?? "Preview" }, { channelIds: [], regions: [defaultRegion] })
          : settleEdit(input, before),
        (refusal) => validationFailure([refusal])
      )

    /** Fails with `not_found`, as creating the monitor would, for a heartbeat, and as `OnDemandChecks.ask` does. */
    const run = Effect.fn("PreviewCheck.run")(function*(workspaceId: WorkspaceId, id: string | null, input: Input) {
      yield* vet(workspaceId, input)
      const before = id === null ? null : yield* stored(workspaceId, id)
      const settings = yield* settle(input, before)
      const target = yield* targetOf(settings)
      yield* quotas.settle(workspaceId, wishesOf(settings, before))
      const { results: [result] } = yield* checks.ask({
        monitorId: yield* mint("mon", MonitorId),
        workspaceId,
        revision: 1,
        changedAt: yield* Clock.currentTimeMillis,
        intervalSec: settings.intervalSec,
        timeoutMs: settings.timeoutMs,
        regions: settings.regions,
        target,
        secrets: settings.secrets
      }, false)
      const preview: CheckPreview = Struct.omit(
        checkOf(result, false),
        "id",
        "monitorId",
        "counted",
        "hasEvidence",
        "evidenceOmitted"
      )
      return preview
    }, Effect.scoped)

    return { run }
  }),
  dependencies: [OnDemandChecks.Default]
}) {}
