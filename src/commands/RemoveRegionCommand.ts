/** The command that removes a region of the deployment. */
import { Effect, Layer, Schema } from "effect"
import { RegionId } from "../../schema/check/Region.ts"
import { say } from "../deployment/Output.ts"
import { usageOf } from "../domain/program/CommandHelp.ts"
import { counted } from "../domain/tools/text/Counted.ts"
import { BadSetting } from "../settings/BadSetting.ts"
import type { Settings } from "../settings/Settings.ts"
import { RegionRemoval } from "../store/check/RegionRemoval.ts"
import { verify } from "../store/postgres/Migrations.ts"
import { withServersDatabase } from "./OnDatabase.ts"

/** Regions belong to the deployment, so no key of a workspace may remove one. */
export const removeRegion = Effect.fn("RemoveRegionCommand.remove")(
  function*(settings: Settings, [region, option, target]: ReadonlyArray<string>) {
    if (region === undefined || (option === undefined ? target !== undefined : option !== "--move-to" || target === undefined)) {
      return yield* new BadSetting({ message: usageOf("remove-region") })
    }
    const idOf = (text: string) =>
      Effect.mapError(Schema.decode(RegionId)(text), () => new BadSetting({ message: `"${text}" is not the name of a region` }))
    const from = yield* idOf(region)
    const to = target === undefined ? null : yield* idOf(target)
    const removing = Effect.flatMap(RegionRemoval, (regions) => regions.remove(from, to))
    const moved = yield* withServersDatabase(
      settings,
      (layer) => Effect.zipRight(verify, removing).pipe(Effect.provide(RegionRemoval.Default.pipe(Layer.provideMerge(layer))))
    )
    const rest = to === null ? "" : `; ${counted(moved, "monitor is", "monitors are")} checked from ${to} instead`
    yield* say(settings.logFormat, `Removed the region ${from}${rest}`)
  }
)
