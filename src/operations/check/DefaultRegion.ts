/** The region of monitors created without regions: that of the deployment's own probe. */
import { Context } from "effect"
import type { RegionId } from "../../../schema/check/Region.ts"

export class DefaultRegion extends Context.Tag("belltower/DefaultRegion")<DefaultRegion, RegionId>() {}
