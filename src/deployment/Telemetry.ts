/** Spans, metrics and log lines for the operator's collector, if the settings name one. */
import { Effect, Layer, Option } from "effect"
import { randomUUID } from "node:crypto"
import type { Role, Settings } from "../settings/Settings.ts"

/** The region of the checks of a process, if it runs any and knows it before it starts: a probe may learn it from its token. */
const regionOf = ({ probeRegion, region }: Settings, role: Role): string | null =>
  role === "all" ? region : role === "probe" ? Option.getOrNull(probeRegion) : null

/** Without a collector, the exporters are not even loaded. */
export const telemetryOf = (settings: Settings, role: Role): Layer.Layer<never> =>
  Option.match(settings.telemetry, {
    onNone: () => Layer.empty,
    onSome: (given) =>
      Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("./MakeTelemetry.ts")),
          ({ makeTelemetry }) => makeTelemetry(given, { role, region: regionOf(settings, role), instanceId: randomUUID() })
        )
      )
  })
