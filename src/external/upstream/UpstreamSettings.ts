/** Which third parties are known, and how often their status is read. */
import { Context, Duration } from "effect"
import { type Catalogue, catalogueOf } from "../../domain/upstream/Catalogue.ts"
import { builtIn } from "./BuiltIn.ts"

export interface UpstreamOptions {
  readonly catalogue: Catalogue
  /** Services of the operator's own catalogue, which are read from the start; the others from the first time that they are asked for. */
  readonly own: ReadonlyArray<string>
  readonly interval: Duration.Duration
}

const defaultInterval = Duration.seconds(120)

export class UpstreamSettings extends Context.Reference<UpstreamSettings>()("belltower/UpstreamSettings", {
  defaultValue: (): UpstreamOptions => ({ catalogue: catalogueOf(builtIn), own: [], interval: defaultInterval })
}) {}
