/** Spans, metrics and log lines for the operator's collector, if the settings name one. */
import { Effect, Layer, Option } from "effect"
import { randomUUID } from "node:crypto"
import type { Role, Settings } from "./Settings.ts"

/** Without a collector, the exporters are not even loaded. */
export const telemetryOf = ({ region, telemetry }: Settings, role: Role): Layer.Layer<never> =>
  Option.match(telemetry, {
    onNone: () => Layer.empty,
    onSome: (given) =>
      Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("./MakeTelemetry.ts")),
          ({ makeTelemetry }) => makeTelemetry(given, { role, region, instanceId: randomUUID() })
        )
      )
  })
