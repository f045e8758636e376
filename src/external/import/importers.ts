/** The registry of importers. */
import type { ImportSource } from "../../../schema/import/Import.ts"
import { belltower } from "../importers/belltower.ts"
import { betterstack } from "../importers/betterstack.ts"
import { gatus } from "../importers/gatus.ts"
import { healthchecks } from "../importers/healthchecks.ts"
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
  belltower
}
