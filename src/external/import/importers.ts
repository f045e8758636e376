/** The registry of importers. */
import type { ImportSource } from "../../../schema/import/Import.ts"
import { belltower } from "../importers/belltower.ts"
import { betterstack } from "../importers/betterstack.ts"
import { cronitor } from "../importers/cronitor.ts"
import { gatus } from "../importers/gatus.ts"
import { grafanaoncall } from "../importers/grafanaoncall.ts"
import { healthchecks } from "../importers/healthchecks.ts"
import { opsgenie } from "../importers/opsgenie.ts"
import { pagerduty } from "../importers/pagerduty.ts"
import { statuspage } from "../importers/statuspage.ts"
import { uptimekuma } from "../importers/uptimekuma.ts"
import { uptimerobot } from "../importers/uptimerobot.ts"
import type { Importer } from "./Importer.ts"

export const importers: Readonly<Record<ImportSource, Importer>> = {
  uptimerobot,
  betterstack,
  statuspage,
  healthchecks,
  uptimekuma,
  gatus,
  cronitor,
  belltower,
  pagerduty,
  opsgenie,
  grafanaoncall
}
