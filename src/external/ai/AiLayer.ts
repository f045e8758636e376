/** The provider of a process. Its libraries are loaded only if one is configured: they define thousands of schemas. */
import { Effect, Layer, Option } from "effect"
import { Ai } from "./AiProvider.ts"
import type { AiSettings } from "./AiSettings.ts"

export const layer = (settings: Option.Option<AiSettings>): Layer.Layer<never> =>
  Option.match(settings, {
    onNone: () => Layer.empty,
    onSome: (given) =>
      Layer.scoped(
        Ai,
        Effect.promise(() => import("./MakeAiProvider.ts")).pipe(
          Effect.flatMap(({ makeAiProvider }) => makeAiProvider(given)),
          Effect.tap((provider) => Effect.addFinalizer(() => provider.close))
        )
      )
  })
