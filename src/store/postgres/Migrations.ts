/** The migrations of this version. */
import initial from "../../../infra/migrations/0001_initial.ts"
import alertChannels from "../../../infra/migrations/0002_alert_channels.ts"
import maintenanceScope from "../../../infra/migrations/0003_maintenance_scope.ts"
import mutes from "../../../infra/migrations/0004_mutes.ts"
import probes from "../../../infra/migrations/0005_probes.ts"
import regionTopics from "../../../infra/migrations/0009_region_topics.ts"
import { makeMigrator } from "./Migrator.ts"

/** Every file of infra/migrations by name. The imports are static so that the bundle contains them. */
export const { migrate, verify } = makeMigrator({
  "0001_initial": initial,
  "0002_alert_channels": alertChannels,
  "0003_maintenance_scope": maintenanceScope,
  "0004_mutes": mutes,
  "0005_probes": probes,
  "0009_region_topics": regionTopics
})
