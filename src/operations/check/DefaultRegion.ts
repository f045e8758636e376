/** The region of monitors that name none: the one of this deployment's own probe. */
import { Context } from "effect"
import type { RegionId } from "../../../schema/check/Region.ts"

export class DefaultRegion extends Context.Tag("belltower/DefaultRegion")<DefaultRegion, RegionId>() {}
